import PQueue from 'p-queue'
import { errorCode, type Sql } from '../../shared/db/connect.ts'
import type { MetricsQuery, MetricsRow } from '../../shared/db/metrics/api/metrics-query.ts'
import { runMetricsQuery } from '../../shared/db/metrics/api/run-metrics-query.ts'
import { AppError } from '../../shared/domain/errors.ts'

/**
 * Answers the rows of a query.
 *
 * @throws {AppError} `query_too_expensive` after the time one query may take; `service_unavailable` if others take too
 *   long before it
 */
export type RunMetrics = (query: MetricsQuery) => Promise<readonly MetricsRow[]>

/** Queries of one process at once: each may hold its connection for seconds, and charges need the others. */
const AT_ONCE = 2
const MAX_WAITING = 100
const MAX_WAIT_MS = 10_000

/** Makes what runs the metrics queries of this process, a few at a time. */
export function createMetricsRunner(sql: Sql, { timeoutMs }: { readonly timeoutMs: number }): RunMetrics {
  return fewAtOnce((query) => run(sql, query, timeoutMs))
}

/** Lets few queries through at once, and refuses what would wait behind too many, or has waited too long. */
export function fewAtOnce(runOne: RunMetrics): RunMetrics {
  const queue = new PQueue({ concurrency: AT_ONCE })
  return async (query) => {
    if (queue.size >= MAX_WAITING) throw refuseBusy()
    const askedMs = performance.now()
    return queue.add(() => {
      if (performance.now() - askedMs > MAX_WAIT_MS) throw refuseBusy()
      return runOne(query)
    })
  }
}

async function run(sql: Sql, query: MetricsQuery, timeoutMs: number): Promise<readonly MetricsRow[]> {
  try {
    return await runMetricsQuery(sql, query, { timeoutMs })
  } catch (error) {
    if (errorCode(error) !== '57014') throw error
    throw new AppError(
      'query_too_expensive',
      `the query took longer than ${timeoutMs / 1000} seconds; ask for a shorter dateRange or fewer groups`,
      { cause: error },
    )
  }
}

function refuseBusy(): AppError {
  return new AppError('service_unavailable', 'too many metrics queries are under way; try again in a moment')
}
