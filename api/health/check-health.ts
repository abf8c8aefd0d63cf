import type { Sql } from '../../shared/db/connect.ts'
import { countHealth, type HealthCounts, ping } from '../../shared/db/health.ts'
import { withTimeLimit } from '../../shared/runtime/time-limit.ts'

/** Whether the database responds, and the counts, which are at most five seconds old while it does. */
export type HealthState = { readonly isUp: boolean; readonly counts: HealthCounts }

/** Maximum age of the counts. Probes share them, because counting reads an index of all pending deliveries. */
const COUNTS_MAX_AGE_MS = 5000

type Options = {
  /** Maximum time in ms for the database to respond. A slower database cannot serve payers either. */
  readonly timeoutMs?: number
  /** Returns the time from which the age of the counts is computed. */
  readonly nowMs?: () => number
}

const NONE: HealthCounts = {
  pendingWebhooks: 0,
  oldestPendingChargeAgeSeconds: null,
  lastContractWatcherEventAgeSeconds: null,
}

/**
 * Creates the health check. While the database is down, it returns the last counts.
 *
 * Simultaneous callers share one check, and so one statement. A check that has timed out is no longer shared, because a
 * statement that hangs must not hide that the database has recovered.
 */
export function createHealthCheck(
  sql: Sql,
  { timeoutMs = 2000, nowMs = () => performance.now() }: Options = {},
): () => Promise<HealthState> {
  let inFlight: Promise<boolean> | null = null
  let counts = NONE
  let countedAtMs = Number.NEGATIVE_INFINITY

  async function check(): Promise<void> {
    if (nowMs() - countedAtMs < COUNTS_MAX_AGE_MS) return ping(sql)
    counts = await countHealth(sql)
    countedAtMs = nowMs()
  }

  function share(): Promise<boolean> {
    inFlight ??= isInTime(check()).finally(() => {
      inFlight = null
    })
    return inFlight
  }

  function isInTime(checked: Promise<void>): Promise<boolean> {
    return withTimeLimit(
      checked.then(() => true).catch(() => false),
      { ms: timeoutMs, late: false },
    )
  }

  return async () => {
    const isUp = await share()
    return { isUp, counts }
  }
}
