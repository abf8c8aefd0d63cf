import { formatDecimal, toNumber } from '../decimal.ts'
import { type Pair, pairKey } from '../networks.ts'
import { getRefundable, type RefundBasis } from './refund-limits.ts'

type PaidPair = Pair & RefundBasis & { readonly decimals: number }

/**
 * Returns the JSON of the pairs on which an amount is left to refund, each with the maximum of its next refund. A pair
 * of a test charge that was paid both on its testnet and in the sandbox has two entries. The first entry with an amount
 * left is shown, because the next refund uses it.
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
