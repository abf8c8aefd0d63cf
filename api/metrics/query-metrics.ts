import type { Static } from '@sinclair/typebox'
import { errorCode, type Sql } from '../../shared/db/connect.ts'
import type { MetricsQuery, MetricsRow } from '../../shared/db/metrics-query.ts'
import { runMetricsQuery } from '../../shared/db/run-metrics-query.ts'
import { AppError } from '../../shared/domain/errors.ts'
import type { ApiConfig } from '../../shared/runtime/api-config.ts'
import type { Request } from '../route.ts'
import { presentMetricsRow } from './present.ts'
import { readMetricsQuery } from './read-query.ts'
import type { MetricsAnswer, MetricsQueryBody } from './schema.ts'

type Deps = { readonly sql: Sql; readonly config: Pick<ApiConfig, 'metricsTimeoutMs'> }

/**
 * Answers one query about the key's own organization and environment.
 *
 * @throws {AppError} what `readMetricsQuery` throws; `environment_mismatch`; `query_too_expensive`
 */
export async function queryMetrics(
  deps: Deps,
  request: Request<unknown, Static<typeof MetricsQueryBody>>,
): Promise<Static<typeof MetricsAnswer>> {
  const { key, body } = request
  const query = readMetricsQuery(request)
  if (body.environment !== undefined && body.environment !== key.environment) {
    throw new AppError(
      'environment_mismatch',
      `environment is ${body.environment}, and the API key's is ${key.environment}`,
      { param: 'environment' },
    )
  }
  const rows = await run(deps, { ...query, limit: query.limit + 1 })
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

async function run({ sql, config }: Deps, query: MetricsQuery): Promise<readonly MetricsRow[]> {
  const timeoutMs = config.metricsTimeoutMs
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
