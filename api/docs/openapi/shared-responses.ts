import type { TSchema } from '@sinclair/typebox'
import type { ErrorCode } from '../../../shared/domain/errors.ts'

/** Error responses that several operations share, by name: all codes that such an operation returns with one status. */
const SHARED_ERRORS: Readonly<Record<string, readonly ErrorCode[]>> = {
  InvalidRequest: ['validation_error'],
  InvalidAmount: ['validation_error', 'invalid_amount'],
  InvalidEscrowSignature: ['validation_error', 'escrow_invalid_signature'],
  InvalidWebhookUrl: [
    'validation_error',
    'invalid_webhook_url',
    'insecure_webhook_url',
    'unresolvable_webhook_url',
    'unsafe_webhook_url',
  ],
  Unauthorized: ['missing_api_key', 'invalid_api_key', 'payout_address_revoked'],
  Forbidden: ['insufficient_scope', 'conflicting_api_key_scopes'],
  ConflictingScopes: ['conflicting_api_key_scopes'],
  ChargeNotFound: ['charge_not_found'],
  RecipientNotFound: ['recipient_not_found'],
  WebhookNotFound: ['webhook_not_found'],
  RefundNotFound: ['refund_not_found'],
  ChargeNotPayable: ['charge_not_payable'],
  EscrowClosed: ['escrow_already_released', 'escrow_already_refunded'],
  EscrowOrderConflict: ['escrow_already_released', 'escrow_already_refunded', 'request_in_progress'],
  RequestInProgress: ['request_in_progress'],
  PayloadTooLarge: ['payload_too_large'],
  UnsupportedMediaType: ['unsupported_media_type'],
  EscrowNotMovable: [
    'escrow_not_enabled',
    'escrow_empty',
    'escrow_multiple_payment_pairs',
    'escrow_safe_mismatch',
  ],
  EscrowOrderRejected: [
    'recipient_transfer_restricted',
    'escrow_not_enabled',
    'escrow_empty',
    'escrow_multiple_payment_pairs',
    'escrow_safe_mismatch',
  ],
  RateLimited: ['rate_limited'],
  InternalError: ['internal_error'],
  ServiceUnavailable: ['service_unavailable'],
  RpcUnavailable: ['rpc_unavailable', 'service_unavailable'],
  SignaturePaymentUnavailable: [
    'payment_temporarily_unavailable',
    'signature_payment_unavailable',
    'service_unavailable',
  ],
  StreamUnavailable: ['sse_capacity', 'service_unavailable'],
}

const NAMES = new Map(Object.entries(SHARED_ERRORS).map(([name, codes]) => [codes.join(), name]))

/** Returns the name of the shared response with exactly these codes, in the order of `ERROR_CODES`. */
export function findSharedError(codes: readonly ErrorCode[]): string | undefined {
  return NAMES.get(codes.join())
}

/** Titles of the bodies that several operations return on success. */
const SHARED_BODIES: readonly string[] = [
  'Charge',
  'Delivery',
  'EscrowSigningTransaction',
  'Recipient',
  'Refund',
  'RefundWithLink',
  'Webhook',
  'WebhookWithSecret',
]

/** Returns the name of the shared success response with this body. */
export function findSharedSuccess(body: TSchema | string | null): string | undefined {
  if (body === null) return 'NoContent'
  if (typeof body === 'string' || !SHARED_BODIES.includes(body.title ?? '')) return undefined
  return `${body.title}Response`
}
