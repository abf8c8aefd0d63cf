import type { Static } from '@sinclair/typebox'
import { requireEnvironment } from '../http/require-environment.ts'
import type { Request } from '../http/route.ts'
import type { RunMetrics } from './metrics-runner.ts'
import { parseMetricsQuery } from './parse-query.ts'
import { presentMetricsRow } from './present.ts'
import type { MetricsQueryBody, MetricsResult } from './schema.ts'

/**
 * Returns the result of one query about the key's own organization and environment.
 *
 * @throws {AppError} the errors of `parseMetricsQuery` and `run`; `environment_mismatch`
 */
export async function queryMetrics(
  run: RunMetrics,
  request: Request<unknown, Static<typeof MetricsQueryBody>>,
): Promise<Static<typeof MetricsResult>> {
  const { key, body } = request
  const query = parseMetricsQuery(request)
  requireEnvironment(key, body.environment)
  const rows = await run({ ...query, limit: query.limit + 1 })
  const data = rows.slice(0, query.limit).map((row) => presentMetricsRow(row, query))
  const { resource } = query
  const meta = {
    resource,
    environment: key.environment,
    rowCount: data.length,
    truncated: rows.length > data.length,
  }
  return { data, meta }
}
