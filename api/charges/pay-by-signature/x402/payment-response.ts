import type { Hex } from '../../../../shared/domain/address.ts'
import type { ErrorCode } from '../../../../shared/domain/errors.ts'
import { toCaip2 } from './payment-required.ts'

/** Result of a signed payment. */
export type PaymentOutcome = {
  readonly chainId: number
  /** As written by the client. */
  readonly payer: string
  /** In atomic units, as written by the client. */
  readonly amount: string
} & (
  | { readonly type: 'mined'; readonly txHash: Hex }
  /** The payment might still be mined. The hash is of the transaction that currently executes the payment. */
  | { readonly type: 'pending'; readonly txHash: Hex | null }
  | { readonly type: 'refused'; readonly reason: string; readonly message: string }
)

/**
 * Returns the content of `PAYMENT-RESPONSE`.
 *
 * If `success` is true, `transaction` was mined, but its block might still be orphaned. The webhook reports the
 * confirmed credit.
 *
 * @see x402 specification v2, "SettlementResponse"
 */
export function presentPaymentResponse(outcome: PaymentOutcome) {
  const { payer, amount } = outcome
  const common = { network: toCaip2(outcome.chainId), payer, amount }
  switch (outcome.type) {
    case 'mined':
      return { success: true, transaction: outcome.txHash, ...common }
    case 'pending':
      return {
        success: false,
        errorReason: 'settlement_pending',
        errorMessage:
          'the payment is in flight and not mined yet; repeat the same request without a new signature',
        transaction: outcome.txHash ?? '',
        ...common,
      }
    case 'refused':
      return {
        success: false,
        errorReason: outcome.reason,
        errorMessage: outcome.message,
        transaction: '',
        ...common,
      }
  }
}

/**
 * Returns x402's reason for a rejected signature, or `null` for an error that the signature did not cause, after which
 * no other signature may be requested.
 *
 * @see the names in @x402/evm 2.27.0, which are newer than those in the x402 specification
 */
export function findRejectionReason(code: ErrorCode, param: string | undefined): string | null {
  if (code === 'insufficient_balance') return 'invalid_exact_evm_insufficient_balance'
  if (code === 'authorization_used') return 'invalid_exact_evm_nonce_already_used'
  if (code !== 'authorization_invalid') return null
  return REASONS[param ?? ''] ?? 'invalid_payload'
}

const REASONS: Readonly<Record<string, string>> = {
  signature: 'invalid_exact_evm_signature',
  from: 'invalid_exact_evm_signature',
  to: 'invalid_exact_evm_recipient_mismatch',
  value: 'invalid_exact_evm_payload_authorization_value_mismatch',
  validAfter: 'invalid_exact_evm_payload_authorization_valid_after',
  validBefore: 'invalid_exact_evm_payload_authorization_valid_before',
  nonce: 'invalid_exact_evm_nonce_already_used',
}
