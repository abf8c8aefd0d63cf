import type { Address } from './address.ts'
import type { Authorization } from './authorization.ts'
import { findWindowProblem } from './authorization-window.ts'
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
  if (authorization.to !== facts.address)
    throw refuseAuthorization(
      'to',
      `is ${authorization.to}: must be ${facts.address}, where the charge is paid`,
    )
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
