import Koa from 'koa'
import type { ChainIdCheck } from '../shared/chain/nodes/verify-chain-id.ts'
import type { Sql } from '../shared/db/connect.ts'
import type { ApiConfig } from '../shared/runtime/api-config.ts'
import type { Logger } from '../shared/runtime/logger.ts'
import type { Metrics } from '../shared/runtime/metrics.ts'
import { accountingRoutes } from './accounting/routes.ts'
import { chargeAccountingRoutes } from './charges/accounting/routes.ts'
import { checkRoutes } from './charges/check/routes.ts'
import { escrowRoutes } from './charges/escrow/routes.ts'
import { evidenceRoutes } from './charges/evidence/routes.ts'
import { createGetCharge } from './charges/get-charge.ts'
import { authorizationRoutes } from './charges/pay-by-signature/routes.ts'
import { qrcodeRoutes } from './charges/qrcode/routes.ts'
import { quoteRoutes } from './charges/quote/routes.ts'
import { chargeRoutes } from './charges/routes.ts'
import { timelineRoutes } from './charges/timeline/routes.ts'
import { createReadCheckout } from './checkout/read-checkout.ts'
import { serveCheckout } from './checkout/serve-checkout.ts'
import { distributionRoutes } from './distributions/routes.ts'
import { type DescribedRoutes, describeRoutes } from './docs/openapi/routes.ts'
import { serveDocs } from './docs/serve-docs.ts'
import { serveRoot } from './docs/serve-root.ts'
import { healthRoutes } from './health/routes.ts'
import { createChains, type FindChain } from './http/chain-clients.ts'
import { createReadIssuerRestriction } from './http/issuer-restrictions.ts'
import { createAuthenticate } from './http/middleware/authenticate.ts'
import { clientAddress } from './http/middleware/client-address.ts'
import { errorResponse } from './http/middleware/error-response.ts'
import { limitDuration } from './http/middleware/limit-duration.ts'
import { logMutations } from './http/middleware/log-mutations.ts'
import { createRateLimiter } from './http/middleware/rate-limit.ts'
import { requestId } from './http/middleware/request-id.ts'
import { recordRequestMetrics } from './http/middleware/request-metrics.ts'
import { requireTarget } from './http/middleware/require-target.ts'
import { writeResponse } from './http/middleware/write-response.ts'
import { handleUnknownRoute, mountRoutes, rateLimitAnonymous } from './http/mount-routes.ts'
import type { ResponseBuffers } from './http/response-buffers.ts'
import { metricsRoutes } from './metrics/routes.ts'
import { networkRoutes } from './networks/routes.ts'
import { recipientRoutes } from './recipients/routes.ts'
import { refundRoutes } from './refunds/routes.ts'
import { sandboxRoutes } from './sandbox/routes.ts'
import type { StreamHub } from './streams/hub.ts'
import type { Swap } from './swap/create-swap.ts'
import { webhookRoutes } from './webhooks/routes.ts'

/** Dependencies of the app. The caller starts and stops the hub. */
export type AppDeps = {
  readonly sql: Sql
  /** A separate pool for accounting exports, which hold a connection for minutes. */
  readonly exportSql: Sql
  readonly config: ApiConfig
  readonly log: Logger
  readonly metrics: Metrics
  readonly hub: StreamHub
  readonly readers: ResponseBuffers
  /** Started and stopped by the caller; `null` without a swap provider. */
  readonly swap: Swap | null
  /** Version in the response of `GET /v1/health` and in the API document. */
  readonly version: string
  /** Called each time a node has returned its chain id. */
  readonly onNodeVerdict?: (verdict: ChainIdCheck) => void
}

/** Creates the Koa app that serves a route table. Does not listen on a port. */
export function createApp(deps: AppDeps, { routes, document, chainOf } = listRoutes(deps)): Koa {
  const { sql, config, log } = deps
  const app = new Koa()
  const limiter = createRateLimiter({ sql, metrics: deps.metrics })
  const policies = listPolicies(config)
  const authenticate = createAuthenticate({ sql, limiter, policy: policies.general })
  const gate = { authenticate, limiter, policies }
  const limit = (ctx: Koa.Context) => rateLimitAnonymous(ctx, gate)

  app.use(writeResponse(deps.readers)) // Outermost: it writes the bodies that all other middleware creates.
  app.use(requestId) // Before all middleware that can fail, so that every response has an id.
  app.use(clientAddress(config.trustedProxies)) // Before all middleware that counts by address.
  app.use(recordRequestMetrics(deps.metrics)) // Outside of `errorResponse`, so that it counts the status that is sent.
  app.use(logMutations(log)) // Outside of `errorResponse`, for the same reason.
  app.use(errorResponse(log)) // Around everything that follows, so that every error has the same shape.
  app.use(limitDuration({ log })) // Around everything that waits for the database.
  app.use(requireTarget({ log, limit })) // Before any code reads the path.
  app.use(serveDocs(document, { limit })) // Before the routes, because the documentation needs no key.
  app.use(serveRoot(document, limit)) // Before the routes, because the start page needs no key.
  app.use(mountRoutes(routes, gate)) // Authenticates, limits, validates and handles each request.
  const read = createReadCheckout(deps)
  // After the routes, so that no configured base path of the checkout can hide an endpoint.
  app.use(serveCheckout({ ...deps, limiter, policy: policies.checkout, read, chainOf }))
  app.use(handleUnknownRoute(gate)) // Last: handles requests that no route has handled.
  // Koa emits this only for a client that disconnects during a response. `errorResponse` has handled and logged all
  // other errors.
  app.on('error', (error: Error) => log.debug({ msg: 'Client disconnected', error }))
  return app
}

/** Returns all routes, their API document, and the function that finds the chains that they read. */
export function listRoutes(deps: AppDeps): DescribedRoutes & { readonly chainOf: FindChain } {
  const { deployments } = deps.config
  const chainOf = createChains(deployments, deps.onNodeVerdict)
  const ask = createReadIssuerRestriction(deps.config, chainOf)
  const reading = { ...deps, getCharge: createGetCharge(deps), chainOf, ask }
  const routes = [
    ...healthRoutes(deps),
    ...networkRoutes(deps),
    ...chargeRoutes(reading),
    ...timelineRoutes(deps),
    ...chargeAccountingRoutes(reading),
    ...evidenceRoutes(reading),
    ...checkRoutes(reading),
    ...qrcodeRoutes(reading),
    ...quoteRoutes(reading),
    ...escrowRoutes(reading),
    ...authorizationRoutes(reading),
    ...refundRoutes(reading),
    ...recipientRoutes(reading),
    ...distributionRoutes(deps),
    ...webhookRoutes(deps),
    ...metricsRoutes(deps),
    ...accountingRoutes(deps),
    ...sandboxRoutes(reading),
  ]
  return { ...describeRoutes(routes, deps), chainOf }
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
