import type { Db } from './connect.ts'
import { isOpen } from './predicates.ts'

/** Counts for `GET /v1/health`. Ages are in whole seconds; `null` if there is no such charge or event. */
export type HealthCounts = {
  readonly pendingWebhooks: number
  readonly oldestPendingChargeAgeSeconds: number | null
  readonly lastContractWatcherEventAgeSeconds: number | null
}

/**
 * Reads the counts over all organizations and both environments. Must not be called on every request. Charge ids sort
 * by time, so the lowest id is the oldest charge.
 */
export async function countHealth(db: Db): Promise<HealthCounts> {
  const [counts] = await db<[HealthCounts]>`
    select
      (select count(*) from deliveries where status = 'pending') as pending_webhooks,
      (select extract(epoch from now() - created_at)::int from charges
       where ${isOpen(db, db`status`)} order by id limit 1) as oldest_pending_charge_age_seconds,
      (select extract(epoch from now() - detected_at)::int from transfers
       where source in ('contract_watcher', 'tron_watcher') order by id desc limit 1) as last_contract_watcher_event_age_seconds`
  return counts
}

export async function ping(db: Db): Promise<void> {
  await db`select 1`
}
