import type { Address } from '../address.ts'
import { getAmountDue, type ReceivedAmounts } from '../amount-due.ts'
import { type ChargeStatus, isOpen } from '../charge.ts'
import { AppError } from '../errors.ts'
import {
  type AtomicUnits,
  type AttoDollars,
  attoToAtomicCeil,
  type MicroDollars,
  microToAtto,
} from '../money.ts'
import type { Pair, PairContract } from '../networks.ts'
import type { AuthorizationDomain } from './authorization.ts'
import type { AuthorizationStatus } from './authorization-status.ts'
import { findValiditySeconds, MIN_SECONDS_LEFT } from './authorization-window.ts'

/** A pair of a charge on which a daemon currently executes authorizations. */
export type SignablePair = Pair &
  PairContract & {
    readonly domain: AuthorizationDomain
    readonly blockTimeMs: number
    readonly minimumMicro: MicroDollars
    /** Whether new payments on this pair are paused, or recent payments might not be recorded yet (decisions 2.4). */
    readonly isUnavailable: boolean
    /** The organization's gas use on this chain today, and its daily limit. */
    readonly usedGas: number
    readonly dailyGasLimit: number
    /** Whether too many authorizations of the organization reverted on this chain recently. */
    readonly isBroken: boolean
  }

/** All facts that decide whether a charge can be paid by signature, read at one time. */
export type PayBySignatureFacts = ReceivedAmounts & {
  readonly chargeId: string
  readonly address: Address
  readonly status: ChargeStatus
  readonly isSimulated: boolean
  readonly isParked: boolean
  readonly expiresAt: Date
  /**
   * Status of the authorization in flight; `null` if there is none. An authorization is in flight if it is requested
   * and not accepted yet, signed and pending, or executed while our ledger lacks its transfer.
   */
  readonly inFlight: AuthorizationStatus | 'requested' | null
  readonly pairs: readonly SignablePair[]
}

/** A pair with the amount to sign now and the validity of the signature. */
export type PayablePair = SignablePair & {
  /** Amount in the token's atomic units, rounded up. */
  readonly valueAtomic: AtomicUnits
  readonly offeredSeconds: number
}

/** The signature that the page may request from a payer, or the reason why it must not request a signature. */
export type SignaturePlan =
  /** A pending payment might still pay the charge, so no payer may be asked to sign. */
  | { readonly type: 'in_flight' }
  /** The whole amount has arrived, confirmed or not. */
  | { readonly type: 'nothing_asked' }
  /** The charge is final, has expired, or expires too soon. */
  | { readonly type: 'not_payable'; readonly why: string }
  /** An amount is due, but no pair accepts a signature for it now. */
  | { readonly type: 'unavailable'; readonly why: string; readonly isTemporary: boolean }
  | { readonly type: 'asked'; readonly askedAtto: AttoDollars; readonly pairs: readonly PayablePair[] }

/** Gas limit of an execution. The daily quota is charged this limit plus the gas for posting the transaction. */
export const AUTHORIZATION_GAS = 200_000

/**
 * Decides which payment a payer may be asked to sign for a charge. No other code makes this decision: the endpoint,
 * x402, the checkout, and the daemon before it signs all use it. Pure.
 *
 * The check for a payment in flight precedes all checks except the one for a confirmed charge. No payer may be asked
 * for a second signature before the first is known to have paid or to be unusable.
 */
export function planAuthorization(facts: PayBySignatureFacts, now: Date): SignaturePlan {
  if (facts.status === 'confirmed') return { type: 'nothing_asked' }
  if (facts.inFlight !== null) return { type: 'in_flight' }
  const askedAtto = getAmountDue(facts)
  if (!isOpen(facts)) return { type: 'not_payable', why: `it is ${facts.status}` }
  if (askedAtto === 0n) return { type: 'nothing_asked' }
  const seconds = findValiditySeconds({ now, expiresAt: facts.expiresAt })
  if (facts.expiresAt <= now) return { type: 'not_payable', why: 'it has expired' }
  if (seconds === null)
    return {
      type: 'not_payable',
      why: `it expires in less than ${MIN_SECONDS_LEFT} s, too soon for a payment by signature`,
    }
  const obstacles = facts.pairs.map((pair) => findObstacle(facts, pair, askedAtto))
  const pairs = facts.pairs.flatMap((pair, index) =>
    obstacles[index] === null
      ? [{ ...pair, valueAtomic: attoToAtomicCeil(askedAtto, pair.decimals), offeredSeconds: seconds }]
      : [],
  )
  if (pairs.length > 0) return { type: 'asked', askedAtto, pairs }
  const why =
    obstacles.find((obstacle) => obstacle !== null) ?? 'no pair that it accepts can be paid by signature'
  return { type: 'unavailable', why, isTemporary: facts.pairs.some((pair) => pair.isUnavailable) }
}

/**
 * Returns the pairs on which a payer may sign.
 *
 * @throws {AppError} `payment_in_progress`, `charge_not_payable`, `payment_temporarily_unavailable` or
 * `signature_payment_unavailable` if no payer may sign
 */
export function requirePayablePairs(chargeId: string, plan: SignaturePlan): readonly PayablePair[] {
  switch (plan.type) {
    case 'asked':
      return plan.pairs
    case 'in_flight':
      throw new AppError('payment_in_progress', `a payment by signature is in progress for ${chargeId}`)
    case 'nothing_asked':
      throw new AppError('charge_not_payable', `${chargeId} cannot be paid: no amount is due`)
    case 'not_payable':
      throw new AppError('charge_not_payable', `${chargeId} cannot be paid: ${plan.why}`)
    case 'unavailable': {
      const code = plan.isTemporary ? 'payment_temporarily_unavailable' : 'signature_payment_unavailable'
      throw new AppError(code, `${chargeId} cannot be paid by signature: ${plan.why}`)
    }
  }
}

/** Returns the reason why a pair accepts no signature for this charge now, or `null`. */
function findObstacle(
  { isSimulated, isParked }: PayBySignatureFacts,
  pair: SignablePair,
  askedAtto: AttoDollars,
): string | null {
  const name = `${pair.token} on ${pair.network}`
  if (isSimulated || isParked) return 'it cannot be paid on a chain now'
  if (pair.isUnavailable) return `${name} is not available at the moment`
  if (askedAtto < microToAtto(pair.minimumMicro))
    return `${name} accepts no signature for such a small amount`
  if (pair.isBroken) return `too many signatures for ${name} failed recently`
  if (pair.usedGas + AUTHORIZATION_GAS > pair.dailyGasLimit) return `the day's gas for ${name} is used up`
  return null
}
