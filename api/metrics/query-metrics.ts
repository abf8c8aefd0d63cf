import type { Static } from '@sinclair/typebox'
import { AppError } from '../../shared/domain/errors.ts'
import type { Request } from '../route.ts'
import type { RunMetrics } from './metrics-runner.ts'
import { presentMetricsRow } from './present.ts'
import { readMetricsQuery } from './read-query.ts'
import type { MetricsAnswer, MetricsQueryBody } from './schema.ts'

/**
 * Returns the result of one query about the key's own organization and environment.
 *
 * @throws {AppError} the errors of `readMetricsQuery` and `run`; `environment_mismatch`
 */
export async function queryMetrics(
  run: RunMetrics,
  request: Request<unknown, Static<typeof MetricsQueryBody>>,
): Promise<Static<typeof MetricsAnswer>> {
  const { key, body } = request
  const query = readMetricsQuery(request)
  if (body.environment !== undefined && body.environment !== key.environment) {
    throw new AppError(
      'environment_mismatch',
      `environment is ${body.environment}, but the API key's environment is ${key.environment}`,
      { param: 'environment' },
    )
  }
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
