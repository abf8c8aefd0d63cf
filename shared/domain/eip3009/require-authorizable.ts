import type { Address } from '../address.ts'
import { AppError } from '../errors.ts'
import type { Authorization } from './authorization.ts'
import { findWindowProblem, getMaxValidBefore } from './authorization-window.ts'
import {
  type PayablePair,
  type PayBySignatureFacts,
  planAuthorization,
  requirePayablePairs,
} from './plan-authorization.ts'

/** A submitted authorization and its token; untrusted input. */
export type SubmittedAuthorization = {
  readonly chainId: number
  readonly token: Address
  readonly authorization: Authorization
}

/**
 * Returns the pair on which an authorization pays exactly the amount due. Throws if the authorization must not be
 * executed. Pure.
 *
 * The API and the daemon both use it, because the daemon does not trust the API's result. The daemon calls it before it
 * simulates, and again under the lock in which it signs.
 *
 * @throws {AppError} `payment_in_progress`, `charge_not_payable`, `payment_temporarily_unavailable`,
 * `signature_payment_unavailable`, `authorization_invalid` with the invalid field
 */
export function requireAuthorizable(
  facts: PayBySignatureFacts,
  offered: SubmittedAuthorization,
  now: Date,
): PayablePair {
  const { authorization } = offered
  const pair = requireAsked(facts, offered, now)
  requireValidPayment(facts, authorization, now)
  if (authorization.value !== pair.valueAtomic)
    throw createAuthorizationError(
      'value',
      `is ${authorization.value}: must be ${pair.valueAtomic}, the whole amount due`,
    )
  const { expiresAt } = facts
  const problem = findWindowProblem(authorization, { now, expiresAt, blockTimeMs: pair.blockTimeMs })
  if (problem !== null) throw createAuthorizationError(problem.param, problem.problem)
  return pair
}

/**
 * Throws if an authorization pays another address, or ends after the charge's expiry or after the maximum validity.
 * These checks do not depend on the amount due.
 *
 * **A transfer of the charge's own money is not a payment either.** The Safe of an escrow signs through its releaser,
 * and could pay itself repeatedly with our gas. The ledger does not count such transfers (`own_money`). A split has no
 * code that signs.
 *
 * @throws {AppError} `authorization_invalid`
 */
export function requireValidPayment(
  { address, expiresAt }: Pick<PayBySignatureFacts, 'address' | 'expiresAt'>,
  { from, to, validBefore }: Authorization,
  now: Date,
): void {
  if (to !== address)
    throw createAuthorizationError('to', `is ${to}: must be ${address}, the charge's address`)
  if (from === address)
    throw createAuthorizationError('from', `is ${from}: a charge cannot be paid with its own money`)
  const most = getMaxValidBefore({ now, expiresAt })
  if (validBefore > most)
    throw createAuthorizationError('validBefore', `is ${validBefore}: must be at most ${most}`)
}

export function createAuthorizationError(
  param: keyof Authorization | 'signature' | 'network',
  problem: string,
): AppError {
  return new AppError('authorization_invalid', `${param} ${problem}`, { param })
}

function requireAsked(
  facts: PayBySignatureFacts,
  { chainId, token }: SubmittedAuthorization,
  now: Date,
): PayablePair {
  const pairs = requirePayablePairs(facts.chargeId, planAuthorization(facts, now))
  const pair = pairs.find((one) => one.chainId === chainId && one.tokenAddress === token)
  if (pair !== undefined) return pair
  const isClosed = facts.pairs.some(
    (one) => one.isUnavailable && one.chainId === chainId && one.tokenAddress === token,
  )
  throw new AppError(
    isClosed ? 'payment_temporarily_unavailable' : 'signature_payment_unavailable',
    `${facts.chargeId} cannot be paid by signature with ${token} now`,
  )
}
