import { setTimeout as delay } from 'node:timers/promises'
import { listRecorders, readDatabaseTime } from '../../shared/db/accounting/api/recorders.ts'
import type { Db } from '../../shared/db/connect.ts'

/** Maximum wait. The daemon's transactions take milliseconds, but a rebuild of the books takes seconds. */
const MAX_WAIT_MS = 2_000
const POLL_MS = 20

/** Subtracted from the current time if transactions are open. No transaction that records entries takes longer. */
const MARGIN_MS = 5 * 60_000

/**
 * Returns a time before which no further entry will be recorded. Every later snapshot contains the same entries with an
 * earlier `recorded_at`, so a repeated or continued export has the same bytes.
 *
 * Waits up to 2 s for open transactions that have inserted entries. If one stays open, returns a time at least 5
 * minutes in the past, or `null` if the requested time is later: with an earlier time, the continuation of an
 * interrupted export would lack entries.
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

/** Returns whether all transactions that have inserted entries ended within the maximum wait. */
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
