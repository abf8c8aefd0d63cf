import PQueue from 'p-queue'
import { errorCode, type Sql } from '../../shared/db/connect.ts'
import type { MetricsQuery, MetricsRow } from '../../shared/db/metrics/api/metrics-query.ts'
import { runMetricsQuery } from '../../shared/db/metrics/api/run-metrics-query.ts'
import { AppError } from '../../shared/domain/errors.ts'

/**
 * Returns the rows of a query.
 *
 * @throws {AppError} `query_too_expensive` if the query exceeds its time limit; `service_unavailable` if it has waited
 * longer than 10 s, or 100 queries are already waiting
 */
export type RunMetrics = (query: MetricsQuery) => Promise<readonly MetricsRow[]>

/**
 * Maximum simultaneous queries of a process. Each can hold a connection for seconds, and charges need the other
 * connections.
 */
const MAX_RUNNING = 2
const MAX_WAITING = 100
const MAX_WAIT_MS = 10_000

/** Creates the runner of this process's metrics queries. */
export function createMetricsRunner(sql: Sql, { timeoutMs }: { readonly timeoutMs: number }): RunMetrics {
  return limitConcurrency((query) => run(sql, query, timeoutMs))
}

/** Limits the running and the waiting queries. */
export function limitConcurrency(runOne: RunMetrics): RunMetrics {
  const queue = new PQueue({ concurrency: MAX_RUNNING })
  return async (query) => {
    if (queue.size >= MAX_WAITING) throw createBusyError()
    const queuedAtMs = performance.now()
    return queue.add(() => {
      if (performance.now() - queuedAtMs > MAX_WAIT_MS) throw createBusyError()
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
      `the query took longer than ${timeoutMs / 1000} seconds; request a shorter dateRange or fewer groups`,
      { cause: error },
    )
  }
}

function createBusyError(): AppError {
  return new AppError('service_unavailable', 'too many metrics queries are in progress; try again later')
}
