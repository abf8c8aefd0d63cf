import type { Db } from '../../shared/db/connect.ts'
import { waitFor } from '../devnet/wait-for.ts'

/**
 * Waits until a statement in the connection's database waits for a lock.
 *
 * @param orUntil - ends the wait as well once it returns true
 */
export async function waitForLockWait(db: Db, orUntil: () => boolean = () => false): Promise<void> {
  const waits = async () => {
    const waiting = await db`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    return waiting.length > 0 || orUntil()
  }
  await waitFor(waits, { what: 'a statement that waits for a lock', timeoutMs: 60_000 })
}
