import type { Db } from '../../connect.ts'

/** Counts the deliveries that await a successful attempt. */
export async function countPendingDeliveries(db: Db): Promise<number> {
  const [row] = await db<[{ pending: number }]>`
    select count(*) as pending from deliveries where status = 'pending'`
  return row.pending
}

/** Returns for how many seconds the longest due delivery has been due; 0 if no delivery is due. */
export async function getOldestDueSeconds(db: Db, now: Date): Promise<number> {
  const [row] = await db<[{ seconds: number }]>`
    select greatest(0, coalesce(extract(epoch from
      ${now}::timestamptz at time zone 'UTC' - min(next_attempt_at at time zone 'UTC')), 0))::float8 as seconds
    from deliveries where status = 'pending'`
  return row.seconds
}
