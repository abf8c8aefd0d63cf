import type { Db } from './connect.ts'

/** Finds which of these keys no longer authenticate: revoked, or stopped with their payout recipient. */
export async function findStoppedKeys(db: Db, keyIds: readonly string[]): Promise<readonly string[]> {
  const rows = await db<{ id: string }[]>`
    select k.id from api_keys k
    where k.id = any (${keyIds}) and (k.revoked_at is not null or exists (
      select from recipients r where r.organization_id = k.organization_id and r.environment = k.environment
        and r.address = k.payout_address and r.payout_stopped_at is not null))`
  return rows.map(({ id }) => id)
}
