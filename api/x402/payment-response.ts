import type { Hex } from '../../shared/domain/address.ts'
import type { ErrorCode } from '../../shared/domain/errors.ts'
import { networkOf } from './payment-required.ts'

/** What became of a signed payment. */
export type PaymentOutcome = {
  readonly chainId: number
  /** As the client wrote it. */
  readonly payer: string
  /** Atomic units, as the client wrote them. */
  readonly amount: string
} & (
  | { readonly type: 'mined'; readonly txHash: Hex }
  /** It may be mined yet; the hash is that of what carries it at the moment. */
  | { readonly type: 'pending'; readonly txHash: Hex | null }
  | { readonly type: 'refused'; readonly reason: string; readonly message: string }
)

/**
 * Answers what stands in `PAYMENT-RESPONSE`.
 *
 * `transaction` is of a mined transaction and no promise that the block stays: of that our webhook tells.
 *
 * @see x402 specification v2, "SettlementResponse"
 */
export function presentPaymentResponse(outcome: PaymentOutcome) {
  const { payer, amount } = outcome
  const of = { network: networkOf(outcome.chainId), payer, amount }
  switch (outcome.type) {
    case 'mined':
      return { success: true, transaction: outcome.txHash, ...of }
    case 'pending':
      return {
        success: false,
        errorReason: 'settlement_pending',
        errorMessage: 'it is in flight and not mined yet: repeat this very request, and sign nothing anew',
        transaction: outcome.txHash ?? '',
        ...of,
      }
    case 'refused':
      return {
        success: false,
        errorReason: outcome.reason,
        errorMessage: outcome.message,
        transaction: '',
        ...of,
      }
  }
}

/**
 * Answers x402's name of the reason why a signature was refused, or `null` for what is no fault of the payment: after that
 * nobody may be asked for another signature.
 *
 * @see the names of @x402/evm 2.27.0, which are newer than its specification's
 */
export function refusalReason(code: ErrorCode, param: string | undefined): string | null {
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
