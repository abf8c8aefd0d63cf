import type { Sql } from '../../shared/db/connect.ts'
import { RETRY_AFTER_SECONDS } from '../http/middleware/error-response.ts'
import type { Route } from '../http/route.ts'
import { createHealthCheck } from './check-health.ts'
import { Health } from './schema.ts'

/** Returns the endpoint of the service's health. */
export function healthRoutes(deps: { readonly sql: Sql; readonly version: string }): readonly Route[] {
  const checkHealth = createHealthCheck(deps.sql)
  return [
    {
      method: 'GET',
      path: '/v1/health',
      operationId: 'getHealth',
      summary: 'Check the health of the service',
      access: 'public',
      success: { status: 200, body: Health },
      errors: [],
      ownFailures: { 503: Health },
      handle: async (ctx) => {
        const { isUp, counts } = await checkHealth()
        const word = isUp ? 'ok' : 'error'
        ctx.status = isUp ? 200 : 503
        if (!isUp) ctx.set('Retry-After', RETRY_AFTER_SECONDS)
        ctx.body = {
          status: word,
          version: deps.version,
          timestamp: new Date(),
          db: word,
          pendingWebhooks: counts.pendingWebhooks,
          oldestPendingChargeAgeSeconds: counts.oldestPendingChargeAgeSeconds,
          lastContractWatcherEventAgeSeconds: counts.lastContractWatcherEventAgeSeconds,
        }
      },
    },
  ]
}
