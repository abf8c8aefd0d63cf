import { setTimeout as delay } from 'node:timers/promises'
import { listRecorders, readDatabaseTime } from '../../shared/db/accounting/api/recorders.ts'
import type { Db } from '../../shared/db/connect.ts'

/** Maximum wait. The daemon's transactions take milliseconds; a rebuild of the books holds its lock for seconds. */
const MAX_WAIT_MS = 2_000
const POLL_MS = 20

/**
 * Margin before the current time if transactions are still open. It is longer than any transaction that records
 * entries.
 */
const MARGIN_MS = 5 * 60_000

/**
 * Returns a time before which no further entry will be recorded: every snapshot taken from now on contains the same
 * entries with an earlier `recorded_at`. So a request can be continued, or repeated, with the same bytes.
 *
 * Waits for the transactions that have inserted entries but have not committed yet. If one of them takes too long,
 * returns a time that is earlier by a margin instead, but never one before the requested time: an earlier response
 * might have named that time, and the continuation of the response would omit entries.
 *
 * @param requested - the latest time to return; `null` for the current time
 * @returns `null` if entries before the requested time might still be recorded
 */
export async function findClosedTime(db: Db, requested: Date | null): Promise<Date | null> {
  const now = await readDatabaseTime(db)
  const areRecorded = await waitForRecorders(db)
  const closedAt = areRecorded ? now : new Date(now.getTime() - MARGIN_MS)
  if (requested === null || requested <= closedAt) return requested ?? closedAt
  return areRecorded ? closedAt : null
}

/** Returns whether the transactions that have inserted entries ended within the maximum wait. */
async function waitForRecorders(db: Db): Promise<boolean> {
  let waiting = await listRecorders(db)
  for (let waitedMs = 0; waiting.length > 0; waitedMs += POLL_MS) {
    if (waitedMs >= MAX_WAIT_MS) return false
    await delay(POLL_MS)
    const current = new Set(await listRecorders(db))
    waiting = waiting.filter((id) => current.has(id))
  }
  return true
}
