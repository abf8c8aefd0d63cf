import type { ReconciledCharge } from '../../shared/db/chain-facts/reconciliations.ts'
import { AppError } from '../../shared/domain/errors.ts'
import type { Clock } from '../../shared/runtime/clock.ts'
import type { CheckedChain } from '../corroboration/checked-chain.ts'
import { RANGES_PER_DAY } from './block-ranges.ts'
import { readSince } from './read-since.ts'
import { type ChargeScan, type ScanDeps, scanCharges } from './scan-charges.ts'
import type { UnrelatedTransfer } from './unrelated-transfer.ts'

export type SearchDeps = ScanDeps & Pick<CheckedChain, 'deployment'> & { readonly now: Clock }

/**
 * A charge, the last block to search, and the quorum's confirmed head. A single node may have reported the last block.
 */
type Search = Pick<ChargeScan, 'acceptsOne' | 'confirmedHeadNumber'> & {
  readonly charge: ReconciledCharge
  readonly block: number
}

export type SearchResult = {
  /** Whether a quorum of operators, or the trusted node, listed the logs of each range. */
  readonly isByQuorum: boolean
  /** Whether the search reached back to the charge's creation. */
  readonly isComplete: boolean
  readonly strays: readonly UnrelatedTransfer[]
}

/**
 * Reads a charge's logs since its creation, newest first, from every node, because one node may miss a payment that
 * another node shows. Records missing rows.
 *
 * On EVM chains, a search costs at most three requests per range and node. It reaches back about a day
 * (`RANGES_PER_DAY`), or less if a node serves only small ranges. For an older charge, `isComplete` is false.
 *
 * On TRON, each node reports balances at its own block. A false report can name a block that is not solidified but
 * whose transactions other nodes already show. A row therefore counts only up to the quorum's confirmed head.
 *
 * @throws {AppError} `rpc_unavailable` if fewer operators than the quorum list a range (with `acceptsOne`, only if no
 * node lists it), or if no quorum confirms or denies a transaction that a node lists
 */
export async function searchCharge(
  deps: SearchDeps,
  { charge, block, confirmedHeadNumber, acceptsOne = false }: Search,
): Promise<SearchResult> {
  const { blockTimeMs } = deps.deployment
  const ageMs = deps.now().getTime() - charge.createdAt.getTime()
  const { answers, isComplete } = await readSince({
    life: { block, ageMs, blockTimeMs },
    maxRanges: RANGES_PER_DAY,
    read: (range) =>
      scanCharges(deps, {
        charges: [charge],
        ...range,
        ...{ confirmedHeadNumber, isThorough: true, acceptsOne, withStrays: true },
      }),
  })
  if (answers.some(({ isUnsure }) => isUnsure))
    throw new AppError(
      'rpc_unavailable',
      `no quorum confirms or denies a transaction that a node lists for ${charge.id}`,
    )
  const strays = new Map(
    answers.flatMap(({ strays: some }) => some).map((one) => [`${one.txHash}/${one.logIndex}`, one]),
  )
  const isByQuorum = answers.every((one) => one.isByQuorum)
  return { isByQuorum, isComplete, strays: [...strays.values()] }
}
