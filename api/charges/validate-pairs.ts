import type { Sql } from '../../shared/db/connect.ts'
import { findRejectedPair, type RejectedPair } from '../../shared/db/organizations/api/rejected-pair.ts'
import { AppError, invariant } from '../../shared/domain/errors.ts'
import { pairKey } from '../../shared/domain/networks.ts'
import {
  findUnconfiguredPair,
  isSimulated,
  type PublishedPairsConfig,
  type RequestedPairs,
} from '../networks/offered-pairs.ts'

type Deps = { readonly sql: Sql; readonly config: PublishedPairsConfig }

/** Checks of the pairs of one new charge. The pairs are read at most once, and only if a check needs them. */
export type PairValidation = {
  /** Whether the configuration lacks one of the pairs. */
  readonly isOneUnconfigured: boolean
  /** @throws {AppError} `token_not_supported` for the first pair that is not supported */
  readonly requireSupported: () => Promise<void>
  /**
   * @throws {AppError} as in `requireSupported`, then `rpc_unavailable` or `payment_temporarily_unavailable` (decisions
   * 3.3)
   */
  readonly requireOffered: () => Promise<void>
}

/**
 * Creates the checks of a new charge's pairs. A caller needs them only to reject a pair before it queries a chain or
 * reports another error, because the insert checks the pairs of every charge, with the same SQL function.
 */
export function createPairValidation(deps: Deps, requested: RequestedPairs): PairValidation {
  const index = findUnconfiguredPair(deps.config, requested)
  let rejected: Promise<RejectedPair | null> | undefined
  const find = () => {
    rejected ??= findRejected(deps, { ...requested, index })
    return rejected
  }
  return {
    isOneUnconfigured: index >= 0,
    requireSupported: async () => {
      const found = await find()
      if (found?.outcome === 'token_not_supported') throw createPairError(found, requested)
    },
    requireOffered: async () => {
      const found = await find()
      if (found !== null) throw createPairError(found, requested)
    },
  }
}

/**
 * Finds the first unsupported pair or, if all are supported, the first pair that is unavailable now. Queries only the
 * pairs before the first unconfigured pair.
 */
async function findRejected(
  { sql, config }: Deps,
  { index, ...requested }: RequestedPairs & { readonly index: number },
): Promise<RejectedPair | null> {
  const { environment, acceptedPayments } = requested
  const lacking = index < 0 ? null : ({ outcome: 'token_not_supported', pairPosition: index + 1 } as const)
  if (isSimulated(config, requested)) return lacking
  const pairs = lacking === null ? acceptedPayments : acceptedPayments.slice(0, index)
  const rejected = await findRejectedPair(sql, { environment, pairs })
  return rejected?.outcome === 'token_not_supported' ? rejected : (lacking ?? rejected)
}

/** Creates the error that names the rejected pair and the reason. */
export function createPairError(
  { outcome, pairPosition }: RejectedPair,
  { acceptedPayments }: Pick<RequestedPairs, 'acceptedPayments'>,
): AppError {
  const index = pairPosition - 1
  const pair = acceptedPayments[index]
  invariant(pair !== undefined, `pair ${pairPosition} of ${acceptedPayments.length} was rejected`)
  return new AppError(outcome, `${pairKey(pair)} ${REASONS[outcome]}`, {
    param: `acceptedPayments[${index}]`,
  })
}

const REASONS = {
  token_not_supported: 'is not accepted in this environment; see GET /v1/networks',
  rpc_unavailable: 'cannot be checked on its network at the moment; try again',
  payment_temporarily_unavailable: 'is temporarily disabled; try again later or omit it',
} as const
