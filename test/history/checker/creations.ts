import { type ChargeView, findCharge } from './charge-view.ts'
import type { Exchange, History } from './history.ts'
import { parseJson } from './parse-json.ts'

/** A request that created a charge, and its 201 response. */
export type Creation = {
  readonly organization: string
  readonly atMs: number
  readonly request: string
  readonly idempotencyKey: string | null
  readonly charge: ChargeView
}

/** Lists the 201 responses to creations, including responses to repeated requests. */
export function listCreations({ exchanges }: History): readonly Creation[] {
  return exchanges.flatMap(readCreation)
}

function readCreation({ method, path, organization, body, response }: Exchange): readonly Creation[] {
  if (method !== 'POST' || path !== '/v1/charges' || response?.status !== 201) return []
  const charge = findCharge(parseJson(response.text))
  if (charge === null) return []
  const request = body ?? ''
  return [{ organization, atMs: response.atMs, request, idempotencyKey: readIdempotencyKey(request), charge }]
}

export function readIdempotencyKey(body: string): string | null {
  const json = parseJson(body) as { readonly idempotencyKey?: string } | null
  return json?.idempotencyKey ?? null
}
