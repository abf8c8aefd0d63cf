import type { Address } from '../../../shared/domain/address.ts'
import { distribute } from '../../../shared/domain/allocation.ts'
import { NATIVE_COIN } from '../../../shared/domain/distribution-call.ts'
import { atomic } from '../../../shared/domain/money.ts'
import type { Payment } from './payment.ts'
import type { PayoutAddresses } from './select-charges.ts'

/** The rules for payments that are worth their gas. */
export type WorthOptions = {
  readonly payouts: PayoutAddresses
  /** Minimum value of a payment in a stablecoin, in micro-dollars. */
  readonly minimumMicro: bigint
  readonly includesCoin: boolean
}

/**
 * Returns why a payment is not worth its gas; `null` if it is.
 *
 * Anyone can create charges that pay the merchant a millionth, and send dust to any charge, so that the merchant pays
 * gas for it. A payment of native coin also runs the code of its recipients.
 */
export function findWorthlessReason(payment: Payment, options: WorthOptions): string | null {
  const { token, amount, recipient } = payment
  if (token.address === NATIVE_COIN) return options.includesCoin ? null : 'only paid with --native-coin'
  const value = recipient === null ? getOwnShare(payment, options.payouts) : amount
  const isBelow = value * 1_000_000n < options.minimumMicro * 10n ** BigInt(token.decimals)
  return isBelow ? 'below --minimum' : null
}

/** Returns the part of a payment that the merchant receives, in atomic units. No distributor takes the incentive. */
export function getOwnShare({ charge, amount, recipient }: Payment, payouts: PayoutAddresses): bigint {
  const { split, family } = charge
  const isOwn = (account: Address | undefined) =>
    account !== undefined && payouts.get(family)?.includes(account) === true
  if (recipient !== null) return isOwn(recipient) ? amount : 0n
  const shares = distribute({ amount: atomic(amount), split: { ...split, distributionIncentive: 0 } }).payouts
  return shares.reduce((sum, share, index) => (isOwn(split.recipients[index]) ? sum + share : sum), 0n)
}
