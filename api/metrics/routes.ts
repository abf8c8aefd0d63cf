import type { Sql } from '../../shared/db/connect.ts'
import type { ApiConfig } from '../../shared/runtime/api-config.ts'
import { requireScope } from '../http/middleware/authenticate.ts'
import { keyedRoute, type Route } from '../http/route.ts'
import { createMetricsRunner } from './metrics-runner.ts'
import { queryMetrics } from './query-metrics.ts'
import { MetricsQueryBody, MetricsResult } from './schema.ts'

type Deps = { readonly sql: Sql; readonly config: Pick<ApiConfig, 'metricsTimeoutMs'> }

/** Returns the endpoint of metrics queries. */
export function metricsRoutes({ sql, config }: Deps): readonly Route[] {
  const run = createMetricsRunner(sql, { timeoutMs: config.metricsTimeoutMs })
  return [
    keyedRoute({
      method: 'POST',
      path: '/v1/metrics/query',
      operationId: 'queryMetrics',
      summary: "Aggregate the organization's charges, transactions or distributions",
      description:
        'The scopes `metrics:<resource>:read` allow only their own resource. `transactions` are transfers on accepted pairs, including sandbox credits, which the field `source` identifies. By default, a query may take up to 5 seconds.',
      scope: [
        'metrics:read',
        'metrics:charges:read',
        'metrics:transactions:read',
        'metrics:distributions:read',
      ],
      extraLimit: 'metrics',
      body: { schema: MetricsQueryBody },
      success: { status: 200, body: MetricsResult },
      errors: ['environment_mismatch', 'query_too_expensive'],
      handle: async (request, ctx) => {
        // The body determines which of the narrower scopes is sufficient.
        requireScope(ctx, request.key, ['metrics:read', `metrics:${request.body.resource}:read`])
        return await queryMetrics(run, request)
      },
    }),
  ]
}
