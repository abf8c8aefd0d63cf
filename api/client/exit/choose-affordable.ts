import { NATIVE_COIN } from '../../../shared/domain/distribution-call.ts'
import { getOwnShare } from './payment-worth.ts'
import type { PayoutAddresses } from './select-charges.ts'
import type { QuotedPayment } from './sender.ts'

/**
 * Chooses the payments whose gas an account can pay, in the order of the merchant's own shares, the largest first.
 *
 * Anyone can add payments of a dollar, so many small payments must not prevent a large payment. A payment whose gas
 * exceeds the rest of the funds must not prevent cheaper payments after it.
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

/** Returns the merchant's own share in micro-dollars. Native coin has no known price: it counts as 0, so it is last. */
function getValueMicro(payment: QuotedPayment, payouts: PayoutAddresses): bigint {
  const { address, decimals } = payment.token
  return address === NATIVE_COIN ? 0n : (getOwnShare(payment, payouts) * 1_000_000n) / 10n ** BigInt(decimals)
}

function compare(one: bigint, other: bigint): number {
  return one < other ? -1 : one > other ? 1 : 0
}
