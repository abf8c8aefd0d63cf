import type { ChainNode } from '../../shared/chain/nodes/chain-nodes.ts'
import type { ChainFamilyName } from '../../shared/domain/address.ts'
import { createArchiveBalanceReader, type ReadNodeBalances } from './node-balances.ts'
import { createSolidifiedBalanceReader } from './tron/read-solidified-balances.ts'

/** For each chain family, the function that creates a node's balance reader. */
export const BALANCE_READERS_BY_FAMILY: Readonly<
  Record<ChainFamilyName, (node: ChainNode) => ReadNodeBalances>
> = {
  evm: createArchiveBalanceReader,
  tron: createSolidifiedBalanceReader,
}

/** Approximate number of charges whose balances are read in one request. */
export const CHARGES_PER_REQUEST: Readonly<Record<ChainFamilyName, number>> = { evm: 500, tron: 1 }

export type OldChargeRule = {
  /** Factor by which the age of a charge grows between two comparisons. */
  readonly growth: number
  /** Maximum charges of a batch, whose balances are read together. */
  readonly chargesPerBatch: number
}

/**
 * Limits of the comparison per chain family. On TRON, batches are smaller and comparisons less frequent, because each
 * balance costs one request, and a node shows the balances of one block for only 3 s.
 */
export const OLD_CHARGES: Readonly<Record<ChainFamilyName, OldChargeRule>> = {
  evm: { growth: 2, chargesPerBatch: 300 },
  tron: { growth: 4, chargesPerBatch: 30 },
}
