import Koa from 'koa'
import type { NodeVerdict } from '../shared/chain/node-identity.ts'
import type { Sql } from '../shared/db/connect.ts'
import type { ApiConfig } from '../shared/runtime/api-config.ts'
import type { Logger } from '../shared/runtime/logger.ts'
import type { Metrics } from '../shared/runtime/metrics.ts'
import { authorizationRoutes } from './authorization/routes.ts'
import { createChains } from './chain-clients.ts'
import { createGetCharge } from './charges/get-charge.ts'
import { chargeRoutes } from './charges/routes.ts'
import { checkRoutes } from './check/routes.ts'
import { createReadCheckout } from './checkout/read-checkout.ts'
import { serveCheckout } from './checkout/serve-checkout.ts'
import { distributionRoutes } from './distributions/routes.ts'
import { serveDocs } from './docs/serve-docs.ts'
import { serveRoot } from './docs/serve-root.ts'
import { escrowRoutes } from './escrow/routes.ts'
import { healthRoutes } from './health/routes.ts'
import { createAskIssuer } from './issuers.ts'
import { metricsRoutes } from './metrics/routes.ts'
import { createAuthenticate } from './middleware/authenticate.ts'
import { clientAddress } from './middleware/client-address.ts'
import { errorResponse } from './middleware/error-response.ts'
import { logChanges } from './middleware/log-changes.ts'
import { measure } from './middleware/measure.ts'
import { createRateLimiter } from './middleware/rate-limit.ts'
import { requestId } from './middleware/request-id.ts'
import { requireTarget } from './middleware/require-target.ts'
import { writeAnswer } from './middleware/write-answer.ts'
import { limitStranger, mountRoutes, refuseUnknown } from './mount-routes.ts'
import { networkRoutes } from './networks/routes.ts'
import { type DescribedRoutes, describeRoutes } from './openapi/routes.ts'
import { qrcodeRoutes } from './qrcode/routes.ts'
import { quoteRoutes } from './quote/routes.ts'
import type { Readers } from './readers.ts'
import { recipientRoutes } from './recipients/routes.ts'
import { sandboxRoutes } from './sandbox/routes.ts'
import type { StreamHub } from './streams/hub.ts'
import type { Swap } from './swap/create-swap.ts'
import { timelineRoutes } from './timeline/routes.ts'
import { webhookRoutes } from './webhooks/routes.ts'

/** What the app is made of; the hub is started by whoever made it. */
export type AppDeps = {
  readonly sql: Sql
  readonly config: ApiConfig
  readonly log: Logger
  readonly metrics: Metrics
  readonly hub: StreamHub
  readonly readers: Readers
  /** Started by whoever made it; `null` without a swap provider. */
  readonly swap: Swap | null
  /** Shown by `GET /v1/health`. */
  readonly version: string
  /** Told which chain each node serves, whenever that was read. */
  readonly onNodeVerdict?: (verdict: NodeVerdict) => void
}

/** Makes the Koa app of a route table, without listening. */
export function createApp(deps: AppDeps, { routes, document } = routesOf(deps)): Koa {
  const { sql, config, log } = deps
  const app = new Koa()
  const limiter = createRateLimiter({ sql, metrics: deps.metrics })
  const policies = policiesOf(config)
  const authenticate = createAuthenticate({ sql, limiter, policy: policies.general })
  const gate = { authenticate, limiter, policies }
  const limit = (ctx: Koa.Context) => limitStranger(ctx, gate)

  app.use(writeAnswer(deps.readers)) // Around all: it writes what they have made.
  app.use(requestId) // First: every answer has an id, whatever happens further in.
  app.use(clientAddress(config.trustedProxies)) // Before all that counts by address.
  app.use(measure(deps.metrics)) // Outside the next: it counts the status that was answered.
  app.use(logChanges(log)) // Likewise.
  app.use(errorResponse(log)) // Around everything else, so that nothing answers in another shape.
  app.use(requireTarget({ log, limit })) // Before anything reads the path.
  app.use(serveDocs(document, { limit })) // Before the gate: people read it without a key.
  app.use(serveRoot(document, limit)) // Likewise.
  app.use(mountRoutes(routes, gate)) // Authenticates, limits and validates each request, then handles it.
  const read = createReadCheckout(deps)
  // After the table: whatever its base path is, it hides no endpoint.
  app.use(serveCheckout({ ...deps, limiter, policy: policies.checkout, read }))
  app.use(refuseUnknown(gate)) // Last: what no route has answered.
  // A client that hangs up in mid-answer is no failure of ours; all others have been answered and logged.
  app.on('error', (error: Error) => log.debug({ msg: 'Lost a client', error }))
  return app
}

/** The route table: every endpoint there is, described. */
export function routesOf(deps: AppDeps): DescribedRoutes {
  const { deployments } = deps.config
  const chainOf = createChains(deployments, deps.onNodeVerdict)
  const ask = createAskIssuer(deps.config, chainOf)
  const reading = { ...deps, getCharge: createGetCharge(deps), chainOf, ask }
  const routes = [
    ...healthRoutes(deps),
    ...networkRoutes(deps),
    ...chargeRoutes(reading),
    ...timelineRoutes(deps),
    ...checkRoutes(reading),
    ...qrcodeRoutes(reading),
    ...quoteRoutes(reading),
    ...escrowRoutes(reading),
    ...authorizationRoutes(reading),
    ...recipientRoutes(reading),
    ...distributionRoutes(deps),
    ...webhookRoutes(deps),
    ...metricsRoutes(deps),
    ...sandboxRoutes(reading),
  ]
  return describeRoutes(routes, deps)
}

function policiesOf({ rateLimitsPerMinute: quotas }: ApiConfig) {
  return {
    general: { name: 'default', quota: quotas.general },
    transferability: { name: 'transferability', quota: quotas.transferability },
    metrics: { name: 'metrics', quota: quotas.metrics },
    checks: { name: 'checks', quota: quotas.checks },
    checkout: { name: 'checkout', quota: quotas.checkout },
  }
}
