import type { Sql } from '../../shared/db/connect.ts'
import {
  type DueEndpoint,
  failDeliveriesOfDeletedWebhook,
  listDueEndpoints,
} from '../../shared/db/webhooks/daemon/deliveries.ts'

/** Maximum endpoints per statement, and maximum statements per turn. They keep a turn below 20 ms. */
const PAGE_ENDPOINTS = 200
const PAGES = 5

/** Endpoints with due deliveries, and whether the list contains all such endpoints. */
export type FoundEndpoints = { readonly endpoints: readonly DueEndpoint[]; readonly isComplete: boolean }

/**
 * Finds at most 1,000 endpoints with due deliveries, in the order of their ids. Starts after the last served endpoint,
 * and continues from the lowest id up to that endpoint.
 *
 * Omits deleted endpoints, and marks at most 10,000 pending deliveries of each as failed.
 *
 * @param from.lastServed - empty if no endpoint has been served yet
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
  for (const { webhookId } of deleted) await failDeliveriesOfDeletedWebhook(sql, { webhookId, at: now })
  return endpoints.filter(({ isDeleted }) => !isDeleted)
}
