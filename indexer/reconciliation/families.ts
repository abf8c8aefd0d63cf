import type { ChainNode } from '../../shared/chain/nodes/chain-nodes.ts'
import type { AddressFamily } from '../../shared/domain/address.ts'
import { createPastReading, type ReadNodeBalances } from './node-balances.ts'
import { createSolidReading } from './tron/read-solid-balances.ts'

/** How balances are read from the nodes of each family. */
export const BALANCES: Readonly<Record<AddressFamily, (node: ChainNode) => ReadNodeBalances>> = {
  evm: createPastReading,
  tron: createSolidReading,
}

/** How old charges of a family are compared. */
export type OldChargeRule = {
  /** Factor by which the age of a charge grows between two comparisons. */
  readonly growth: number
  /** Charges whose balances are read in one turn. */
  readonly chargesPerBatch: number
}

/** On TRON one balance is one request, and a node shows balances of one block for 3 s only. */
export const OLD_CHARGES: Readonly<Record<AddressFamily, OldChargeRule>> = {
  evm: { growth: 2, chargesPerBatch: 300 },
  tron: { growth: 4, chargesPerBatch: 30 },
}
