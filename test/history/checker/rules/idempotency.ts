import { type Creation, listCreations, readIdempotencyKey } from '../creations.ts'
import { groupBy, type History } from '../history.ts'
import type { Rule } from '../rule.ts'

/**
 * All requests with one idempotency key create one charge, and a request with the same key and another body creates no
 * charge. A creation whose response was lost counts as well: its charge appears in pages and events, and its external
 * reference equals the key.
 */
export const IDEMPOTENCY: Rule = {
  name: 'an idempotency key creates one charge',
  find: (history) => {
    const creations = listCreations(history).filter(({ idempotencyKey }) => idempotencyKey !== null)
    const byKey = groupBy(
      creations,
      ({ organization, idempotencyKey }) => `${organization} ${idempotencyKey}`,
    )
    return [...findSeveral(history, byKey), ...[...byKey].flatMap(findOtherBodies)]
  },
}

function findSeveral(history: History, byKey: ReadonlyMap<string, readonly Creation[]>): readonly string[] {
  const seen = groupBy(
    history.sightings,
    ({ organization, charge }) => `${organization} ${charge.externalRef}`,
    ({ charge }) => charge.id,
  )
  const keys = new Set([...byKey.keys(), ...listRequestedKeys(history)])
  return [...keys].flatMap((key) => {
    const created = (byKey.get(key) ?? []).map(({ charge }) => charge.id)
    const ids = new Set([...created, ...(seen.get(key) ?? [])])
    return ids.size > 1 ? [`the key "${key}" created ${ids.size} charges: ${[...ids].join(', ')}`] : []
  })
}

function listRequestedKeys({ exchanges }: History): readonly string[] {
  return exchanges
    .filter(({ method, path }) => method === 'POST' && path === '/v1/charges')
    .flatMap(({ organization, body }) => {
      const key = readIdempotencyKey(body ?? '')
      return key === null ? [] : [`${organization} ${key}`]
    })
}

function findOtherBodies([key, creations]: readonly [string, readonly Creation[]]): readonly string[] {
  const bodies = new Set(creations.map(({ request }) => request))
  return bodies.size > 1 ? [`the key "${key}" was accepted with ${bodies.size} different bodies`] : []
}
