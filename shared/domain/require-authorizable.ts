import type { Address } from './address.ts'
import type { Authorization } from './authorization.ts'
import { findWindowProblem, latestEnd } from './authorization-window.ts'
import { AppError } from './errors.ts'
import {
  type AskedPair,
  planAuthorization,
  requireAskedPairs,
  type SignatureFacts,
} from './plan-authorization.ts'

/** What a payer has signed, for which token; from outside. */
export type Offered = {
  readonly chainId: number
  readonly token: Address
  readonly authorization: Authorization
}

/**
 * Answers the pair that an authorization pays exactly what is asked in, or throws why nobody carries it out.
 *
 * Pure, and the same for the API and for the daemon, which trusts nothing of what the API found: once before it simulates,
 * and once more under the lock in which it signs.
 *
 * @throws {AppError} `payment_in_progress`, `charge_not_payable`, `payment_temporarily_unavailable`,
 * `signature_payment_unavailable`, `authorization_invalid` with the field that is wrong
 */
export function requireAuthorizable(facts: SignatureFacts, offered: Offered, now: Date): AskedPair {
  const { authorization } = offered
  const pair = requireAsked(facts, offered, now)
  requirePossible(facts, authorization, now)
  if (authorization.value !== pair.valueAtomic)
    throw refuseAuthorization(
      'value',
      `is ${authorization.value}: must be ${pair.valueAtomic}, all that is asked now`,
    )
  const { expiresAt } = facts
  const problem = findWindowProblem(authorization, { now, expiresAt, blockTimeMs: pair.blockTimeMs })
  if (problem !== null) throw refuseAuthorization(problem.param, problem.problem)
  return pair
}

/**
 * Throws where an authorization can be no payment of a charge, whatever is asked and whoever has carried it out: it pays
 * elsewhere; or it ends later than the charge, or than any may.
 *
 * **Nor is the charge's own money a payment**: the Safe of an escrow signs by its releaser, and could be made to pay itself
 * for ever, with our gas. The ledger counts none of it (`own_money`); a split has no code that signs.
 *
 * @throws {AppError} `authorization_invalid`
 */
export function requirePossible(
  { address, expiresAt }: Pick<SignatureFacts, 'address' | 'expiresAt'>,
  { from, to, validBefore }: Authorization,
  now: Date,
): void {
  if (to !== address)
    throw refuseAuthorization('to', `is ${to}: must be ${address}, where the charge is paid`)
  if (from === address) throw refuseAuthorization('from', `is ${from}: a charge is not paid by its own money`)
  const most = latestEnd({ now, expiresAt })
  if (validBefore > most)
    throw refuseAuthorization('validBefore', `is ${validBefore}: must be at most ${most}`)
}

/** Makes the error of an authorization of which one field is wrong. */
export function refuseAuthorization(
  param: keyof Authorization | 'signature' | 'network',
  problem: string,
): AppError {
  return new AppError('authorization_invalid', `${param} ${problem}`, { param })
}

function requireAsked(facts: SignatureFacts, { chainId, token }: Offered, now: Date): AskedPair {
  const pairs = requireAskedPairs(facts.chargeId, planAuthorization(facts, now))
  const pair = pairs.find((one) => one.chainId === chainId && one.tokenAddress === token)
  if (pair !== undefined) return pair
  throw new AppError(
    'signature_payment_unavailable',
    `${facts.chargeId} cannot be paid by signature with ${token} now`,
  )
}
