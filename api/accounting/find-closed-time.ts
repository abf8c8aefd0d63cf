import { setTimeout as delay } from 'node:timers/promises'
import { listRecorders, readDatabaseTime } from '../../shared/db/accounting/api/recorders.ts'
import type { Db } from '../../shared/db/connect.ts'

/** The daemon's transactions take milliseconds; a rebuild of the books locks for seconds. */
const MAX_WAIT_MS = 2_000
const POLL_MS = 20

/** Longer than any transaction that records entries. */
const MARGIN_MS = 5 * 60_000

/**
 * Returns a time such that all further entries are recorded at or after it: a snapshot taken from now on shows every
 * entry with an earlier `recorded_at`, and so does each later one. So a request can be continued, or repeated, with the
 * same bytes.
 *
 * Waits for the transactions that have inserted entries but not committed yet. If one takes too long, the time is
 * earlier by a margin instead.
 */
export async function findClosedTime(db: Db): Promise<Date> {
  const now = await readDatabaseTime(db)
  let waiting = await listRecorders(db)
  for (let waitedMs = 0; waiting.length > 0; waitedMs += POLL_MS) {
    if (waitedMs >= MAX_WAIT_MS) return new Date(now.getTime() - MARGIN_MS)
    await delay(POLL_MS)
    const current = new Set(await listRecorders(db))
    waiting = waiting.filter((id) => current.has(id))
  }
  return now
}
