import type { Address, Hex } from '../../domain/address.ts'
import type { Network, Token } from '../../domain/networks.ts'
import type { RefundReason } from '../../domain/refund/refund.ts'
import type { RequestedRefundAmount } from '../../domain/refund/refund-limits.ts'

/** A refund as the API requests it. The daemon checks all of it. */
export type RefundDeclaration = {
  readonly action: 'declare'
  readonly amount: RequestedRefundAmount
  readonly token: Token | null
  readonly network: Network | null
  /** The wallet that will pay; `null` for the merchant's address of the charge. */
  readonly from: Address | null
  readonly destination: Address
  readonly reason: RefundReason
  readonly idempotencyKey: string
}

/** The payload of a request of the kind `refund`. */
export type RefundPayload =
  | RefundDeclaration
  | { readonly action: 'cancel'; readonly refundId: string }
  | { readonly action: 'check'; readonly refundId: string; readonly txHash: Hex | null }
  | { readonly action: 'simulate' }

/** The daemon's response, except a rejection. */
export type RefundResult = {
  readonly outcome: 'done'
  readonly refundId: string | null
  /** Whether an earlier request with the same key declared the refund. */
  readonly isReplay: boolean
}
