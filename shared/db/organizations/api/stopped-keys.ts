import type { Db } from '../../connect.ts'
import { isPayoutStopped } from '../payout-recipients.ts'

/** Finds which of these keys no longer authenticate: revoked, or stopped with their payout recipient. */
export async function findStoppedKeys(db: Db, keyIds: readonly string[]): Promise<readonly string[]> {
  const rows = await db<{ id: string }[]>`
    select k.id from api_keys k
    where k.id = any (${keyIds}) and (k.revoked_at is not null or ${isPayoutStopped(db)})`
  return rows.map(({ id }) => id)
}
