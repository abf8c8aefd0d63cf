import { setTimeout as delay } from 'node:timers/promises'
import { listRecorders, readDatabaseTime } from '../../shared/db/accounting/api/recorders.ts'
import type { Db } from '../../shared/db/connect.ts'

/** Maximum wait. The daemon's transactions take milliseconds; a rebuild of the books holds its lock for seconds. */
const MAX_WAIT_MS = 2_000
const POLL_MS = 20

/** Longer than any transaction that records entries. */
const MARGIN_MS = 5 * 60_000

/**
 * Returns a time before which no further entry will be recorded: every snapshot taken from now on contains the same
 * entries with an earlier `recorded_at`. So a request can be continued, or repeated, with the same bytes.
 *
 * Waits for the transactions that have inserted entries but have not committed yet. If one of them takes too long,
 * returns a time that is earlier by a margin instead.
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
