import type { Sql } from '../../shared/db/connect.ts'
import {
  closeDeliveries,
  type DueEndpoint,
  listDueEndpoints,
} from '../../shared/db/webhooks/daemon/deliveries.ts'

/** Endpoints looked at in one statement, and statements in one turn: a turn stays below 20 ms. */
const PAGE_ENDPOINTS = 200
const PAGES = 5

/** Endpoints to which something is due, and whether they are all there are. */
export type FoundEndpoints = { readonly endpoints: readonly DueEndpoint[]; readonly isComplete: boolean }

/**
 * Finds the endpoints something is due to, from the one after the last served round to it, at most a thousand.
 *
 * What is still pending of a deleted one is ended, at most 10,000 deliveries in a turn, and it is left out.
 *
 * @param from.lastServed - empty if nobody has been served yet
 */
export async function findDueEndpoints(
  sql: Sql,
  { lastServed, now }: { readonly lastServed: string; readonly now: Date },
): Promise<FoundEndpoints> {
  const found: DueEndpoint[] = []
  let [after, upTo]: [string, string | null] = [lastServed, null]
  for (let page = 0; page < PAGES; page += 1) {
    const endpoints = await listDueEndpoints(sql, { after, upTo, now, limit: PAGE_ENDPOINTS })
    found.push(...(await closeDeleted(sql, endpoints, now)))
    const last = endpoints.at(-1)
    if (last !== undefined && endpoints.length === PAGE_ENDPOINTS) after = last.webhookId
    else if (upTo === null && lastServed !== '') [after, upTo] = ['', lastServed]
    else return { endpoints: found, isComplete: true }
  }
  return { endpoints: found, isComplete: false }
}

async function closeDeleted(
  sql: Sql,
  endpoints: readonly DueEndpoint[],
  now: Date,
): Promise<readonly DueEndpoint[]> {
  const deleted = endpoints.filter(({ isDeleted }) => isDeleted)
  for (const { webhookId } of deleted) await closeDeliveries(sql, { webhookId, at: now })
  return endpoints.filter(({ isDeleted }) => !isDeleted)
}
