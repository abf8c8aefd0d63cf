import type { Sql } from '../../shared/db/connect.ts'
import { findRefusedPair, type RefusedPair } from '../../shared/db/organizations/api/refused-pair.ts'
import { AppError, invariant } from '../../shared/domain/errors.ts'
import { type Environment, type Pair, pairKey } from '../../shared/domain/networks.ts'
import { findUnconfiguredPair, isSimulated, type OfferConfig } from '../networks/offered.ts'

type Deps = { readonly sql: Sql; readonly config: OfferConfig }
type Wanted = { readonly environment: Environment; readonly acceptedPayments: readonly Pair[] }

/** Whether the pairs of one charge can be accepted; the rows are read once at most, and only when somebody asks. */
export type AcceptedPairs = {
  /** Our configuration lacks one of them. */
  readonly isOneUnconfigured: boolean
  /** @throws {AppError} `token_not_supported` for the first that cannot be accepted at all */
  readonly requireSupported: () => Promise<void>
  /** @throws {AppError} the same before `rpc_unavailable` and `payment_temporarily_unavailable` (decisions 3.3) */
  readonly requireOffered: () => Promise<void>
}

/**
 * Judges the pairs of a charge that is to be made, for those who must ask a chain before it is inserted.
 *
 * Of other charges, which are most, the insert says the same by the same SQL function, and has the last word.
 */
export function createAcceptedPairs(deps: Deps, wanted: Wanted): AcceptedPairs {
  const index = findUnconfiguredPair(deps.config, wanted)
  let refused: Promise<RefusedPair | null> | undefined
  const find = () => {
    refused ??= findRefused(deps, { ...wanted, index })
    return refused
  }
  return {
    isOneUnconfigured: index >= 0,
    requireSupported: async () => {
      const found = await find()
      if (found?.outcome === 'token_not_supported') throw refusePair(found, wanted)
    },
    requireOffered: async () => {
      const found = await find()
      if (found !== null) throw refusePair(found, wanted)
    },
  }
}

/** Our configuration says so without asking; the rows are asked about the pairs before one that it lacks. */
async function findRefused(
  { sql, config }: Deps,
  { index, ...wanted }: Wanted & { readonly index: number },
): Promise<RefusedPair | null> {
  const { environment, acceptedPayments } = wanted
  const lacking = index < 0 ? null : ({ outcome: 'token_not_supported', pairPosition: index + 1 } as const)
  if (isSimulated(config, wanted)) return lacking
  const pairs = lacking === null ? acceptedPayments : acceptedPayments.slice(0, index)
  const refused = await findRefusedPair(sql, { environment, pairs })
  return refused?.outcome === 'token_not_supported' ? refused : (lacking ?? refused)
}

/** The error that says which pair cannot be accepted, and why. */
export function refusePair(
  { outcome, pairPosition }: RefusedPair,
  { acceptedPayments }: Pick<Wanted, 'acceptedPayments'>,
): AppError {
  const index = pairPosition - 1
  const pair = acceptedPayments[index]
  invariant(pair !== undefined, `pair ${pairPosition} of ${acceptedPayments.length} was refused`)
  return new AppError(outcome, `${pairKey(pair)} ${REASONS[outcome]}`, {
    param: `acceptedPayments[${index}]`,
  })
}

const REASONS = {
  token_not_supported: 'is not accepted in this environment; see GET /v1/networks',
  rpc_unavailable: 'cannot be checked on its network now; try again',
  payment_temporarily_unavailable: 'is temporarily disabled; try again later or leave it out',
} as const
