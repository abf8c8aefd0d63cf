import type { InvariantContext } from './invariant-context.ts'

/** At all times, every charge whose creation returned 201 exists. `findWrongResponses` compares the charges' terms. */
export async function findVanishedCharges({ database, api }: InvariantContext): Promise<readonly string[]> {
  const rows = await database.sql<{ id: string }[]>`select id from charges`
  const kept = new Set(rows.map(({ id }) => id))
  const created = api.exchanges.filter(({ status }) => status === 201).flatMap(({ charges }) => charges)
  const gone = new Set(created.map(({ id }) => id).filter((id) => !kept.has(id)))
  return [...gone].map((id) => `${id} was answered with 201, but is gone`)
}
