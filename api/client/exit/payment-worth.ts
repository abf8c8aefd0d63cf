import type { Address } from '../../../shared/domain/address.ts'
import { distribute } from '../../../shared/domain/allocation.ts'
import { NATIVE_COIN } from '../../../shared/domain/distribution-call.ts'
import { atomic } from '../../../shared/domain/money.ts'
import type { Payment } from './payment.ts'
import type { PayoutAddresses } from './select-charges.ts'

export type WorthOptions = {
  readonly payouts: PayoutAddresses
  /** Minimum value of a stablecoin payment, in micro-dollars. */
  readonly minimumMicro: bigint
  readonly includesCoin: boolean
}

/**
 * Returns why a payment is not worth its gas; `null` for a payment that is worth it.
 *
 * Anyone can make the merchant spend gas: by creating charges that give the merchant a millionth, or by sending dust to
 * any charge. A payment of native coin also runs the code of its recipients.
 */
export function findWorthlessReason(payment: Payment, options: WorthOptions): string | null {
  const { token, amount, recipient } = payment
  if (token.address === NATIVE_COIN) return options.includesCoin ? null : 'only paid with --native-coin'
  const value = recipient === null ? getOwnShare(payment, options.payouts) : amount
  const isBelow = value * 1_000_000n < options.minimumMicro * 10n ** BigInt(token.decimals)
  return isBelow ? 'below --minimum' : null
}

/** Returns the merchant's share of a payment in atomic units. No distributor gets the incentive. */
export function getOwnShare({ charge, amount, recipient }: Payment, payouts: PayoutAddresses): bigint {
  const { split, family } = charge
  const isOwn = (account: Address | undefined) =>
    account !== undefined && payouts.get(family)?.includes(account) === true
  if (recipient !== null) return isOwn(recipient) ? amount : 0n
  const shares = distribute({ amount: atomic(amount), split: { ...split, distributionIncentive: 0 } }).payouts
  return shares.reduce((sum, share, index) => (isOwn(split.recipients[index]) ? sum + share : sum), 0n)
}
