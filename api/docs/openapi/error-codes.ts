import { ERROR_CODES, type ErrorCode } from '../../../shared/domain/errors.ts'
import type { Route } from '../../http/route.ts'

/** Returns every error code of an endpoint, in the order of `ERROR_CODES`. */
export function listErrorCodes(route: Route): readonly ErrorCode[] {
  const codes = new Set<ErrorCode>([...route.errors, ...commonCodes(route)])
  return ERROR_CODES.filter((code) => codes.has(code))
}

/** Codes that every endpoint with a key can return before it validates the request. */
const CODES_OF_THE_GATE: readonly ErrorCode[] = [
  'rate_limited',
  'missing_api_key',
  'invalid_api_key',
  'payout_address_revoked',
  'conflicting_api_key_scopes',
  'service_unavailable',
  'internal_error',
]

/** Codes for a wrong path or method below `/v1/`, where the key is checked first. */
export const NOT_FOUND_ERROR_CODES: readonly ErrorCode[] = [
  ...CODES_OF_THE_GATE,
  'not_found',
  'method_not_allowed',
]

function commonCodes(route: Route): readonly ErrorCode[] {
  if (route.access === 'public') return ['rate_limited', 'internal_error']
  return [
    ...CODES_OF_THE_GATE,
    'validation_error', // Every endpoint rejects unknown query parameters.
    ...(route.scope === null ? [] : (['insufficient_scope'] as const)),
    ...(route.body === undefined ? [] : (['payload_too_large', 'unsupported_media_type'] as const)),
  ]
}
