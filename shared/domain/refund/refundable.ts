import { formatDecimal, toNumber } from '../decimal.ts'
import { type Pair, pairKey } from '../networks.ts'
import { getRefundable, type RefundBasis } from './refund-limits.ts'

/** A pair on which a charge was paid. */
type PaidPair = Pair & RefundBasis & { readonly decimals: number }

/**
 * Returns the JSON of the pairs on which an amount is left, each with the maximum of its next refund. A test charge can
 * be paid on its testnet and in the sandbox, which are two entries of one pair. A refund uses the first entry that has
 * an amount left.
 */
export function presentRefundable(pairs: readonly PaidPair[]) {
  const left = pairs.filter((pair) => getRefundable(pair) > 0n)
  const keys = left.map(pairKey)
  return left.filter((pair, at) => keys.indexOf(pairKey(pair)) === at).map(presentPair)
}

function presentPair(pair: PaidPair) {
  const { token, network, decimals } = pair
  const amount = getRefundable(pair)
  return { token, network, amount: toNumber(amount, decimals), amountExact: formatDecimal(amount, decimals) }
}
