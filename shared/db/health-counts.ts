import type { Db } from './connect.ts'
import { isOpen } from './laws.ts'

/** What `GET /v1/health` counts; ages in whole seconds, `null` where there is nothing to be that old. */
export type HealthCounts = {
  readonly pendingWebhooks: number
  readonly oldestPendingChargeAgeSeconds: number | null
  readonly lastContractWatcherEventAgeSeconds: number | null
}

/** Counts over all organizations and both environments; not for every request. Ids of charges sort by time. */
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

/** Asks the database for nothing but an answer. */
export async function ping(db: Db): Promise<void> {
  await db`select 1`
}
