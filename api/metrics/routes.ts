import type { Sql } from '../../shared/db/connect.ts'
import type { ApiConfig } from '../../shared/runtime/api-config.ts'
import { requireScope } from '../middleware/authenticate.ts'
import { keyedRoute, type Route } from '../route.ts'
import { createMetricsRunner } from './metrics-runner.ts'
import { queryMetrics } from './query-metrics.ts'
import { MetricsAnswer, MetricsQueryBody } from './schema.ts'

type Deps = { readonly sql: Sql; readonly config: Pick<ApiConfig, 'metricsTimeoutMs'> }

/** The endpoint of ad-hoc metrics. */
export function metricsRoutes({ sql, config }: Deps): readonly Route[] {
  const run = createMetricsRunner(sql, { timeoutMs: config.metricsTimeoutMs })
  return [
    keyedRoute({
      method: 'POST',
      path: '/v1/metrics/query',
      operationId: 'queryMetrics',
      summary: "Aggregate the organization's charges, transactions or distributions",
      description:
        'A narrower scope asks its own resource only. `transactions` are transfers on accepted pairs; sandbox credits are among them, told by their source. A query may take 5 seconds.',
      scope: [
        'metrics:read',
        'metrics:charges:read',
        'metrics:transactions:read',
        'metrics:distributions:read',
      ],
      extraLimit: 'metrics',
      body: { schema: MetricsQueryBody },
      success: { status: 200, body: MetricsAnswer },
      errors: ['environment_mismatch', 'query_too_expensive'],
      handle: async (ctx, request) => {
        // The narrower scopes are told apart by the body.
        requireScope(ctx, request.key, ['metrics:read', `metrics:${request.body.resource}:read`])
        ctx.body = await queryMetrics(run, request)
      },
    }),
  ]
}
