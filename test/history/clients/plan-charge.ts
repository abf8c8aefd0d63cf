import type { Pair } from '../../../shared/domain/networks.ts'
import type { Random } from '../../support/seeded-random.ts'

export type PlannedPayment = {
  readonly pair: Pair
  readonly amountMicro: bigint
  /** Whether the payment is sent after the charge's deadline. */
  readonly isLate: boolean
}

/** A charge to create, and its payments. */
export type ChargePlan = {
  readonly body: {
    readonly amount: number
    readonly acceptedPayments: readonly Pair[]
    readonly expiresIn: number
  }
  readonly payments: readonly PlannedPayment[]
}

const PAIRS: readonly Pair[] = [
  { token: 'USDC', network: 'base' },
  { token: 'USDT', network: 'base' },
  { token: 'USDC', network: 'bnb' },
  { token: 'USDT', network: 'bnb' },
]

const MICRO = 1_000_000

/** Minimum amount. The smallest payment, a third of this amount, exceeds the devnet's minimum payout of a dollar. */
const MIN_DOLLARS = 6

/**
 * Plans a charge that is paid exactly, underpaid, overpaid, paid in two parts whose pairs might differ, paid in a pair
 * that might not be accepted, paid after its deadline, or not paid at all.
 */
export function planCharge(random: Random): ChargePlan {
  const accepted = PAIRS.filter(() => random.fraction() < 0.5)
  const acceptedPayments = accepted.length > 0 ? accepted : [random.pick(PAIRS)]
  const amountMicro = MIN_DOLLARS * MICRO + random.integer(100 * MICRO)
  const body = { amount: amountMicro / MICRO, acceptedPayments, expiresIn: 60 + random.integer(30) }
  return { body, payments: planPayments(random, { amountMicro: BigInt(amountMicro), acceptedPayments }) }
}

type Terms = { readonly amountMicro: bigint; readonly acceptedPayments: readonly Pair[] }

function planPayments(random: Random, { amountMicro, acceptedPayments }: Terms): readonly PlannedPayment[] {
  const payment = { pair: random.pick(acceptedPayments), amountMicro, isLate: false }
  const part = amountMicro / 3n
  const kind = random.integer(12)
  if (kind === 0) return []
  if (kind === 1) return [{ ...payment, amountMicro: amountMicro / 2n }]
  if (kind === 2) return [{ ...payment, amountMicro: amountMicro + BigInt(2 * MICRO) }]
  if (kind === 3) return [{ ...payment, pair: random.pick(PAIRS) }]
  if (kind === 4) return [{ ...payment, isLate: true }]
  if (kind > 6) return [payment]
  const other = { ...payment, pair: random.pick(acceptedPayments), amountMicro: amountMicro - part }
  return [{ ...payment, amountMicro: part }, other]
}
