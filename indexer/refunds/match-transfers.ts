import type { PositionedReceipt } from '../../shared/chain/nodes/receipts.ts'
import type { WatchedRefund } from '../../shared/db/refunds/daemon/watched-refunds.ts'
import { atomic } from '../../shared/domain/money.ts'
import type { RefundStatus } from '../../shared/domain/refund/refund.ts'
import { decodeReceipt } from '../chain-feed/decode-receipt.ts'
import type { WatchedDeployment, WatchedToken } from '../chain-feed/observe.ts'

/** A refund, and the number of a transaction's transfers that have exactly the refund's content. */
export type MatchedRefund = { readonly refund: WatchedRefund; readonly count: number }

/**
 * Returns the refunds that a transaction can pay: a transfer has exactly the refund's token, wallet, destination and
 * amount, in a block after the chain's head when the destination was declared or approved. Open refunds come first,
 * because a transfer pays an open refund rather than a canceled or expired one. Pure.
 */
export function matchTransfers(
  receipt: PositionedReceipt,
  {
    deployment,
    refunds,
  }: { readonly deployment: WatchedDeployment; readonly refunds: readonly WatchedRefund[] },
): readonly MatchedRefund[] {
  const counts = new Map<string, number>()
  for (const key of listContents(receipt, deployment)) counts.set(key, (counts.get(key) ?? 0) + 1)
  return refunds
    .filter(({ afterBlock }) => receipt.blockNumber > afterBlock)
    .flatMap((refund) => {
      const count = counts.get(keyOf(refund))
      return count === undefined ? [] : [{ refund, count }]
    })
    .toSorted((left, right) => Number(isEnded(left.refund)) - Number(isEnded(right.refund)))
}

/** Lists the contents (`keyOf`) of a transaction's transfers. Ignores tokens that are not ours. */
export function listContents(receipt: PositionedReceipt, deployment: WatchedDeployment): readonly string[] {
  const tokenOf = new Map(deployment.tokens.map((token) => [token.emitter, token]))
  return decodeReceipt(receipt).transfers.flatMap(({ emitter, sender, recipient: destination, value }) => {
    const token = tokenOf.get(emitter)
    const amountAtomic = token === undefined ? null : toTokenUnits(value, token)
    if (token === undefined || amountAtomic === null) return []
    return [keyOf({ tokenAddress: token.address, sender, destination, amountAtomic })]
  })
}

export function isEnded({ status }: { readonly status: RefundStatus }): boolean {
  return status === 'canceled' || status === 'expired'
}

type Content = Pick<WatchedRefund, 'tokenAddress' | 'sender' | 'destination' | 'amountAtomic'>

/** Returns as text the content by which transfers and refunds are compared: token, wallet, destination and amount. */
export function keyOf({ tokenAddress, sender, destination, amountAtomic }: Content): string {
  return [tokenAddress, sender, destination, amountAtomic].join('/')
}

/** Converts a logged amount to the token's units; `null` if the result is not a whole number (possible on Arc). */
function toTokenUnits(value: bigint, { decimals, emitterDecimals }: WatchedToken) {
  const unit = 10n ** BigInt(emitterDecimals - decimals)
  return value % unit === 0n ? atomic(value / unit) : null
}
