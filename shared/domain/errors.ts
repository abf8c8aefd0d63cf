/**
 * The HTTP status of every error code, ordered by status. Codes are public and never change; messages may change.
 *
 * @see specification, "Errors"; decisions 3 to 7 for codes that the specification does not define
 */
export const HTTP_STATUS = {
  validation_error: 400,
  escrow_invalid_signature: 400,
  authorization_invalid: 400,
  invalid_amount: 400,
  invalid_webhook_url: 400,
  insecure_webhook_url: 400,
  unresolvable_webhook_url: 400,
  unsafe_webhook_url: 400,
  missing_api_key: 401,
  invalid_api_key: 401,
  payout_address_revoked: 401,
  payment_required: 402,
  insufficient_scope: 403,
  conflicting_api_key_scopes: 403,
  forbidden: 403,
  not_found: 404,
  charge_not_found: 404,
  recipient_not_found: 404,
  webhook_not_found: 404,
  delivery_not_found: 404,
  refund_not_found: 404,
  method_not_allowed: 405,
  idempotency_key_reused: 409,
  charge_not_payable: 409,
  escrow_already_released: 409,
  escrow_already_refunded: 409,
  request_in_progress: 409,
  payment_in_progress: 409,
  authorization_used: 409,
  charge_still_open: 409,
  refund_ambiguous: 409,
  refund_already_seen: 409,
  refund_not_claimable: 409,
  refund_not_awaiting_approval: 409,
  refund_address_mismatch: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  payout_address_missing: 422,
  token_not_supported: 422,
  recipient_not_found_in_split: 422,
  split_recipients_exceed_available_percent: 422,
  split_recipient_is_treasury_address: 422,
  split_recipient_is_payout_address: 422,
  recipient_transfer_restricted: 422,
  payment_pair_required: 422,
  payment_pair_not_accepted: 422,
  environment_mismatch: 422,
  swap_test_environment_unsupported: 422,
  escrow_not_enabled: 422,
  escrow_empty: 422,
  escrow_multiple_payment_pairs: 422,
  escrow_safe_mismatch: 422,
  escrow_not_released: 422,
  nothing_received: 422,
  refund_exceeds_received: 422,
  refund_limit_reached: 422,
  destination_not_allowed: 422,
  insufficient_balance: 422,
  webhook_limit_reached: 422,
  invalid_trigger_state: 422,
  query_too_expensive: 422,
  entry_not_in_range: 422,
  rate_limited: 429,
  internal_error: 500,
  rpc_unavailable: 503,
  payment_temporarily_unavailable: 503,
  signature_payment_unavailable: 503,
  swap_unavailable: 503,
  swap_quote_failed: 503,
  sse_capacity: 503,
  service_unavailable: 503,
} as const satisfies Record<string, number>

/** A stable, public error name in snake_case. */
export type ErrorCode = keyof typeof HTTP_STATUS

export const ERROR_CODES = Object.keys(HTTP_STATUS) as readonly ErrorCode[]

type AppErrorOptions = {
  /** The request field that caused the error, such as `acceptedPayments[1]`. */
  readonly param?: string | undefined
  /** Values for the log. They are never sent to a client. */
  readonly details?: Record<string, unknown> | undefined
  /** Whether the same call might succeed later; by default true for the statuses 429 and 503. */
  readonly retryable?: boolean | undefined
  readonly cause?: unknown
}

/**
 * An operational failure with a public code. The API turns it into a response
 * (`api/http/middleware/error-response.ts`), the daemon into a retry, and commands into a message.
 */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly param: string | undefined
  readonly details: Record<string, unknown> | undefined
  readonly retryable: boolean

  /** @param message - for developers; must contain the value and the limit */
  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, { cause: options.cause })
    this.name = 'AppError'
    this.code = code
    this.param = options.param
    this.details = options.details
    this.retryable = options.retryable ?? isTransient(HTTP_STATUS[code])
  }
}

/**
 * Throws unless `condition` holds. Use it for conditions that only our own bug can violate, never for invalid input.
 *
 * @throws {Error} an error without a public code, so that no `catch` for operational failures handles it
 */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`Broken invariant: ${message}`)
}

function isTransient(status: number): boolean {
  return status === 429 || status === 503
}
