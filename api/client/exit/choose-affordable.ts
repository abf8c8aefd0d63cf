import { NATIVE_COIN } from '../../../shared/domain/distribution-call.ts'
import { getOwnShare } from './payment-worth.ts'
import type { PayoutAddresses } from './select-charges.ts'
import type { QuotedPayment } from './sender.ts'

/**
 * Chooses the payments whose gas an account can pay. Payments with a larger share for the merchant come first, because
 * anyone can add many payments of a dollar, which must not use up the gas for a large payment.
 *
 * Skips a payment whose gas exceeds the remaining funds, and still considers cheaper payments after it.
 *
 * @param options.funds - the account's balance, in the smallest unit of the chain's coin
 */
export function chooseAffordable(
  payments: readonly QuotedPayment[],
  { funds, payouts }: { readonly funds: bigint; readonly payouts: PayoutAddresses },
): readonly QuotedPayment[] {
  const valued = payments.map((payment) => ({ payment, value: getValueMicro(payment, payouts) }))
  const sorted = valued.toSorted((one, other) => compare(other.value, one.value))
  let left = funds
  return sorted
    .map(({ payment }) => payment)
    .filter(({ cost }) => {
      if (cost > left) return false
      left -= cost
      return true
    })
}

/** Returns the merchant's share in micro-dollars; 0 for native coin, whose price is unknown. */
function getValueMicro(payment: QuotedPayment, payouts: PayoutAddresses): bigint {
  const { address, decimals } = payment.token
  return address === NATIVE_COIN ? 0n : (getOwnShare(payment, payouts) * 1_000_000n) / 10n ** BigInt(decimals)
}

function compare(one: bigint, other: bigint): number {
  return one < other ? -1 : one > other ? 1 : 0
}
