import type { Response } from './openapi-types.ts'

const text = { type: 'string' } as const

/** What answers say in their headers. */
export const HEADERS = {
  'Request-Id': { description: 'Names the request; tell us when you ask about it.', schema: text },
  RateLimit: {
    description:
      'What is left of each limit: `"default";r=99;t=42`, requests and seconds until the window ends.',
    schema: text,
  },
  'RateLimit-Policy': {
    description: 'The limits that hold: `"default";q=100;w=60`, requests and seconds.',
    schema: text,
  },
  'Retry-After': {
    description: 'Seconds after which to try again.',
    schema: { type: 'integer', minimum: 1 },
  },
  'WWW-Authenticate': { description: 'How to authenticate, or the scope that is missing.', schema: text },
} as const

/** Answers references to those that an answer of this status has. */
export function headersOf(status: number): NonNullable<Response['headers']> {
  const names: (keyof typeof HEADERS)[] = ['Request-Id', 'RateLimit', 'RateLimit-Policy']
  if (status === 401 || status === 403) names.push('WWW-Authenticate')
  if (status === 429 || status === 503) names.push('Retry-After')
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}
