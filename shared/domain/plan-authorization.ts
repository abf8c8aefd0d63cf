import type { Address } from './address.ts'
import { askedAmount, type ReceivedSoFar } from './asked-amount.ts'
import type { AuthorizationDomain } from './authorization.ts'
import type { AuthorizationStatus } from './authorization-status.ts'
import { offeredSeconds } from './authorization-window.ts'
import { type ChargeStatus, isOpen } from './charge.ts'
import { AppError } from './errors.ts'
import {
  type AtomicUnits,
  type AttoDollars,
  attoToAtomicCeil,
  type MicroDollars,
  microToAtto,
} from './money.ts'
import type { Pair, PairContract } from './networks.ts'

/** A pair of a charge that a daemon offers to carry authorizations out for. */
export type SignablePair = Pair &
  PairContract & {
    readonly domain: AuthorizationDomain
    readonly blockTimeMs: number
    readonly minimumMicro: MicroDollars
    /** No new charge is paid with it now. */
    readonly isPaused: boolean
    /** What its organization's charges have taken of the day's gas on this chain, and may. */
    readonly usedGas: number
    readonly dailyGas: number
    /** Too many of its organization's reverted there lately. */
    readonly isBroken: boolean
  }

/** Everything of a charge that paying it by signature goes by, at one moment. */
export type SignatureFacts = ReceivedSoFar & {
  readonly chargeId: string
  readonly address: Address
  readonly status: ChargeStatus
  readonly isSimulated: boolean
  readonly isParked: boolean
  readonly expiresAt: Date
  /** One is signed and not over, or carried out and its transfer is not in our ledger; or asked for, and not yet taken. */
  readonly inFlight: AuthorizationStatus | 'requested' | null
  /** What has come lately on a chain that it accepts may not be known. */
  readonly isFeedStale: boolean
  readonly pairs: readonly SignablePair[]
}

/** A pair, what is to be signed for it now, and for how long. */
export type AskedPair = SignablePair & {
  /** Of the token, rounded up to its unit. */
  readonly valueAtomic: AtomicUnits
  readonly offeredSeconds: number
}

/** What a payer may be asked for. */
export type SignaturePlan =
  /** Something of unknown outcome may pay the charge yet: nobody may be asked for anything. */
  | { readonly type: 'in_flight' }
  /** All of it has come, be it not yet deep. */
  | { readonly type: 'nothing_asked' }
  /** It is decided, or its time is over. */
  | { readonly type: 'not_payable'; readonly why: string }
  /** Something is asked, and at the moment no pair takes a signature for it. */
  | { readonly type: 'unavailable'; readonly why: string; readonly isPaused: boolean }
  | { readonly type: 'asked'; readonly askedAtto: AttoDollars; readonly pairs: readonly AskedPair[] }

/** The gas that each is given for running; of a day's budget it takes the limit that was signed, with what posting it takes. */
export const AUTHORIZATION_GAS = 200_000

/**
 * Decides what a payer may be asked to sign for a charge; the one place that does, for whoever asks: the endpoint, x402, the
 * checkout, and the daemon before it signs.
 *
 * Pure. Of a charge that is paid nothing is ever asked. What is in flight comes next: whatever else the charge has become,
 * nobody is asked for a second signature before the first one is known to have paid or to be worthless.
 */
export function planAuthorization(facts: SignatureFacts, now: Date): SignaturePlan {
  if (facts.status === 'confirmed') return { type: 'nothing_asked' }
  if (facts.inFlight !== null) return { type: 'in_flight' }
  const askedAtto = askedAmount(facts)
  if (!isOpen(facts)) return { type: 'not_payable', why: `it is ${facts.status}` }
  if (askedAtto === 0n) return { type: 'nothing_asked' }
  const seconds = offeredSeconds({ now, expiresAt: facts.expiresAt })
  if (facts.expiresAt <= now || seconds === null) return { type: 'not_payable', why: 'its time is over' }
  if (facts.isFeedStale)
    return { type: 'unavailable', why: 'what has come on its networks is not seen now', isPaused: true }
  const obstacles = facts.pairs.map((pair) => findObstacle(facts, pair, askedAtto))
  const pairs = facts.pairs.flatMap((pair, index) =>
    obstacles[index] === null
      ? [{ ...pair, valueAtomic: attoToAtomicCeil(askedAtto, pair.decimals), offeredSeconds: seconds }]
      : [],
  )
  if (pairs.length > 0) return { type: 'asked', askedAtto, pairs }
  const why = obstacles.find((obstacle) => obstacle !== null) ?? 'none of its pairs takes signatures'
  return { type: 'unavailable', why, isPaused: facts.pairs.some(({ isPaused }) => isPaused) }
}

/**
 * Answers the pairs of which a payer may sign one, or throws why he may sign none.
 *
 * @throws {AppError} `payment_in_progress`, `charge_not_payable`, `payment_temporarily_unavailable`,
 * `signature_payment_unavailable`
 */
export function requireAskedPairs(chargeId: string, plan: SignaturePlan): readonly AskedPair[] {
  switch (plan.type) {
    case 'asked':
      return plan.pairs
    case 'in_flight':
      throw new AppError('payment_in_progress', `a payment of ${chargeId} by signature is under way`)
    case 'nothing_asked':
      throw new AppError('charge_not_payable', `${chargeId} cannot be paid: nothing of it remains to be paid`)
    case 'not_payable':
      throw new AppError('charge_not_payable', `${chargeId} cannot be paid: ${plan.why}`)
    case 'unavailable': {
      const code = plan.isPaused ? 'payment_temporarily_unavailable' : 'signature_payment_unavailable'
      throw new AppError(code, `${chargeId} cannot be paid by signature: ${plan.why}`)
    }
  }
}

/** Why a pair takes no signature for this charge now, or `null`. */
function findObstacle(
  { isSimulated, isParked }: SignatureFacts,
  pair: SignablePair,
  askedAtto: AttoDollars,
): string | null {
  const name = `${pair.token} on ${pair.network}`
  if (isSimulated || isParked) return 'nothing on a chain pays it now'
  if (pair.isPaused) return `${name} is paused`
  if (askedAtto < microToAtto(pair.minimumMicro)) return `${name} takes no signature for so little`
  if (pair.isBroken) return `too many signatures for ${name} came to nothing lately`
  if (pair.usedGas + AUTHORIZATION_GAS > pair.dailyGas) return `the day's gas for ${name} is used up`
  return null
}
