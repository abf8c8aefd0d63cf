import type { Exchange } from '../history.ts'
import { parseJson } from '../parse-json.ts'
import type { Rule } from '../rule.ts'

type ErrorBody = { readonly error?: { readonly code?: unknown; readonly message?: unknown } } | null

/** Every error has the specified body, and an outage is a 503, so that clients retry. */
export const OUTAGES: Rule = {
  name: 'an outage is reported as 503, with the specified body',
  find: ({ exchanges }) => exchanges.flatMap(describe),
}

function describe({ organization, method, path, response }: Exchange): readonly string[] {
  if (response === null || response.status < 400) return []
  const request = `${organization}: ${method} ${path} returned ${response.status}`
  const { error } = (parseJson(response.text) as ErrorBody) ?? {}
  if (response.status >= 500 && response.status !== 503) return [`${request} ${response.text.slice(0, 200)}`]
  const isSpecified = typeof error?.code === 'string' && typeof error.message === 'string'
  return isSpecified ? [] : [`${request} without a code and a message`]
}
