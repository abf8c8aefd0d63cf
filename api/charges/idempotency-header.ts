import { createFieldError } from '../http/field-error.ts'
import type { CreateChargeRequest } from './request-schema.ts'

/** Format of an idempotency key. Node joins repeated headers with a comma and a space, which does not match. */
const VISIBLE_ASCII = /^[!-~]{1,255}$/

/**
 * Returns the request with the header `Idempotency-Key` as the `idempotencyKey` of its body.
 *
 * Other services accept this header. If this service ignored it, a client that retries with the header would create two
 * charges (decisions 9.5).
 *
 * @throws {AppError} `validation_error` if the header is malformed or differs from the body
 */
export function withIdempotencyHeader(
  request: CreateChargeRequest,
  header: string | readonly string[] | undefined,
): CreateChargeRequest {
  if (header === undefined) return request
  if (typeof header !== 'string' || !VISIBLE_ASCII.test(header))
    throw createFieldError('Idempotency-Key', 'must be 1 to 255 visible ASCII characters')
  const { idempotencyKey = header } = request.body
  if (idempotencyKey !== header)
    throw createFieldError('Idempotency-Key', 'differs from idempotencyKey in the body')
  const body = { ...request.body, idempotencyKey }
  // The source texts of numbers are stored for the parsed body, not for this copy.
  const sourceOf: CreateChargeRequest['sourceOf'] = (holder, name) =>
    request.sourceOf(holder === body ? request.body : holder, name)
  return { ...request, body, sourceOf }
}
