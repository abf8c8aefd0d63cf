import { setTimeout as delay } from 'node:timers/promises'
import type { Sql } from '../../shared/db/connect.ts'
import { countHealth, type HealthCounts, ping } from '../../shared/db/health-counts.ts'

/** Whether the database answers, and the counts as they were at most five seconds ago. */
export type HealthState = { readonly isUp: boolean; readonly counts: HealthCounts }

/** Counting reads an index of all pending deliveries, so not for every probe. */
const COUNTS_MAX_AGE_MS = 5000

type Options = {
  /** A database that takes longer is of no use to a payer either. */
  readonly timeoutMs?: number
  /** For the age of the counts. */
  readonly nowMs?: () => number
}

const NONE: HealthCounts = {
  pendingWebhooks: 0,
  oldestPendingChargeAgeSeconds: null,
  lastContractWatcherEventAgeSeconds: null,
}

/**
 * Makes the check; while the database is down it answers the last counts there were.
 *
 * Whoever asks while a check is under way shares it, so that a crowd costs one statement; but none waits for a check
 * that has had its time already: a statement that hangs must not speak for a database that is back.
 */
export function createHealthCheck(
  sql: Sql,
  { timeoutMs = 2000, nowMs = () => performance.now() }: Options = {},
): () => Promise<HealthState> {
  let underWay: Promise<boolean> | null = null
  let counts = NONE
  let countedAtMs = Number.NEGATIVE_INFINITY

  async function check(): Promise<void> {
    if (nowMs() - countedAtMs < COUNTS_MAX_AGE_MS) return ping(sql)
    counts = await countHealth(sql)
    countedAtMs = nowMs()
  }

  function share(): Promise<boolean> {
    underWay ??= withinBound(check(), timeoutMs).finally(() => {
      underWay = null
    })
    return underWay
  }

  return async () => {
    const isUp = await share()
    return { isUp, counts }
  }
}

async function withinBound(check: Promise<void>, timeoutMs: number): Promise<boolean> {
  const timer = new AbortController()
  const timeout = delay(timeoutMs, false, timer).catch(() => false)
  const isUp = await Promise.race([check.then(() => true).catch(() => false), timeout])
  timer.abort()
  return isUp
}
