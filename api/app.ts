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

/** Dependencies of the app. The caller starts and stops the hub. */
export type AppDeps = {
  readonly sql: Sql
  readonly config: ApiConfig
  readonly log: Logger
  readonly metrics: Metrics
  readonly hub: StreamHub
  readonly readers: Readers
  /** Started and stopped by the caller; `null` without a swap provider. */
  readonly swap: Swap | null
  /** Version in the response of `GET /v1/health`. */
  readonly version: string
  /** Called with the chain that a node serves, each time it was read. */
  readonly onNodeVerdict?: (verdict: NodeVerdict) => void
}

/** Creates the Koa app of a route table. It does not listen yet. */
export function createApp(deps: AppDeps, { routes, document } = routesOf(deps)): Koa {
  const { sql, config, log } = deps
  const app = new Koa()
  const limiter = createRateLimiter({ sql, metrics: deps.metrics })
  const policies = listPolicies(config)
  const authenticate = createAuthenticate({ sql, limiter, policy: policies.general })
  const gate = { authenticate, limiter, policies }
  const limit = (ctx: Koa.Context) => limitStranger(ctx, gate)

  app.use(writeAnswer(deps.readers)) // Outermost: it writes the bodies that all others create.
  app.use(requestId) // Before the rest, so that every response has an id.
  app.use(clientAddress(config.trustedProxies)) // Before all middleware that counts by address.
  app.use(measure(deps.metrics)) // Outside of `errorResponse`: it counts the status that was sent.
  app.use(logChanges(log)) // Outside of `errorResponse`, for the same reason.
  app.use(errorResponse(log)) // Around all that follows, so that every error has the same shape.
  app.use(requireTarget({ log, limit })) // Before any code reads the path.
  app.use(serveDocs(document, { limit })) // Before the gate, because the documentation needs no key.
  app.use(serveRoot(document, limit)) // Before the gate, too.
  app.use(mountRoutes(routes, gate)) // Authenticates, limits, validates and handles each request.
  const read = createReadCheckout(deps)
  // After the table, so that no base path of the checkout can hide an endpoint.
  app.use(serveCheckout({ ...deps, limiter, policy: policies.checkout, read }))
  app.use(refuseUnknown(gate)) // Last: requests that no route has handled.
  // Only a client that disconnects during a response gets here. `errorResponse` has handled and logged all other
  // errors.
  app.on('error', (error: Error) => log.debug({ msg: 'Client disconnected', error }))
  return app
}

/** Returns the described route table with all endpoints. */
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

function listPolicies({ rateLimitsPerMinute: quotas }: ApiConfig) {
  return {
    general: { name: 'default', quota: quotas.general },
    transferability: { name: 'transferability', quota: quotas.transferability },
    metrics: { name: 'metrics', quota: quotas.metrics },
    checks: { name: 'checks', quota: quotas.checks },
    checkout: { name: 'checkout', quota: quotas.checkout },
  }
}
