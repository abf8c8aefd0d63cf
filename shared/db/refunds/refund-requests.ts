import type { Address, Hex } from '../../domain/address.ts'
import type { Network, Token } from '../../domain/networks.ts'
import type { RefundReason } from '../../domain/refund/refund.ts'
import type { RequestedRefundAmount } from '../../domain/refund/refund-limits.ts'
import type { SandboxRefundEvent } from '../../domain/sandbox-trigger.ts'

/** A refund as the API requests it. The daemon checks all of it. */
export type RefundDeclaration = {
  readonly action: 'declare'
  readonly amount: RequestedRefundAmount
  readonly token: Token | null
  readonly network: Network | null
  /** The wallet that will pay the refund; `null` for the charge's merchant address. */
  readonly from: Address | null
  /** `null` if the payer will give the address. */
  readonly destination: Address | null
  /** SHA-256 of the secret in the payer's link, in hex; `null` if the merchant names the destination. */
  readonly claimHash: string | null
  readonly reason: RefundReason
  readonly idempotencyKey: string
}

/** The payload of a request of the kind `refund`. */
export type RefundPayload =
  | RefundDeclaration
  | { readonly action: 'cancel'; readonly refundId: string }
  | { readonly action: 'check'; readonly refundId: string; readonly txHash: Hex | null }
  | RefundClaimRequest
  | { readonly action: 'approve'; readonly refundId: string; readonly address: Address }
  /** Rejects the payer's address, and replaces the link with a new one. */
  | { readonly action: 'reject'; readonly refundId: string; readonly claimHash: string }
  /** Replaces the payer's link with a new one. */
  | { readonly action: 'renew_link'; readonly refundId: string; readonly claimHash: string }
  | { readonly action: 'simulate'; readonly event: SandboxRefundEvent }

export type RefundClaimRequest = {
  readonly action: 'claim'
  readonly refundId: string
  /** The hash of the secret in the link that the payer opened. */
  readonly claimHash: string
  readonly destination: Address
  /** An account that paid the charge, and its signature on the claim; `null` without a signature. */
  readonly signed: { readonly signer: Address; readonly signature: Hex } | null
}

/** The daemon's response to a request that it did not reject. */
export type RefundResult = {
  readonly outcome: 'done'
  readonly refundId: string | null
  /** Whether an earlier request already had the same result, so that this request changed nothing. */
  readonly isReplay: boolean
}
