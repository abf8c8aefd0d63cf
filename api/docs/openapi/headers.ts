import type { Response } from './openapi-types.ts'

const text = { type: 'string' } as const

/** Response headers. */
export const HEADERS = {
  'Request-Id': {
    description: 'Id of the request. Quote it when you contact us about the request.',
    schema: text,
  },
  RateLimit: {
    description:
      'The remaining quota of each limit: `"default";r=99;t=42` means 99 more requests in the 42 seconds until the window ends.',
    schema: text,
  },
  'RateLimit-Policy': {
    description: 'The limits that apply: `"default";q=100;w=60` means 100 requests in 60 seconds.',
    schema: text,
  },
  'Retry-After': {
    description: 'Seconds to wait before the next attempt.',
    schema: { type: 'integer', minimum: 1 },
  },
  'WWW-Authenticate': { description: 'How to authenticate, or the missing scope.', schema: text },
} as const

/** Returns references to the headers of a response with this status. */
export function listHeaders(status: number): NonNullable<Response['headers']> {
  const names: (keyof typeof HEADERS)[] = ['Request-Id', 'RateLimit', 'RateLimit-Policy']
  if (status === 401 || status === 403) names.push('WWW-Authenticate')
  if (status === 429 || status === 503) names.push('Retry-After')
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}
