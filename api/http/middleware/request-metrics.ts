import type { Context, Middleware } from 'koa'
import { Histogram } from 'prom-client'
import type { Metrics } from '../../../shared/runtime/metrics.ts'

/** Histogram buckets, from the duration of a SQL statement to the time that a caller waits for a blockchain. */
const BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 10, 30]

/** Measures every request by route, because the number of paths is unlimited. A stream counts when it opens. */
export function recordRequestMetrics(metrics: Metrics): Middleware {
  const duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time until the response was ready to be sent',
    labelNames: ['method', 'route', 'status'],
    buckets: BUCKETS_SECONDS,
    registers: [metrics],
  })
  return async (ctx, next) => {
    const startedAtMs = performance.now()
    await next()
    duration.observe(
      { method: ctx.method, route: routeOf(ctx), status: ctx.status },
      (performance.now() - startedAtMs) / 1000,
    )
  }
}

function routeOf(ctx: Context): string {
  return typeof ctx['_matchedRoute'] === 'string' ? ctx['_matchedRoute'] : 'none'
}
