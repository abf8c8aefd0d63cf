import { type TObject, Type } from '@sinclair/typebox'
import { Registry } from 'prom-client'
import { createApp } from '../../../api/app.ts'
import { checkRoutes } from '../../../api/charges/check/routes.ts'
import { createGetCharge } from '../../../api/charges/get-charge.ts'
import { presentStreamedCharge } from '../../../api/charges/present.ts'
import { CreateChargeBody } from '../../../api/charges/request-schema.ts'
import { chargeRoutes } from '../../../api/charges/routes.ts'
import { createReadPages } from '../../../api/checkout/read-pages.ts'
import { type DescribedRoutes, describeRoutes } from '../../../api/docs/openapi/routes.ts'
import { createChains } from '../../../api/http/chain-clients.ts'
import { createReadIssuerRestriction } from '../../../api/http/issuer-restrictions.ts'
import { createReaders } from '../../../api/http/response-buffers.ts'
import type { KeyedRoute, Route } from '../../../api/http/route.ts'
import { refundRoutes } from '../../../api/refunds/routes.ts'
import { sandboxRoutes } from '../../../api/sandbox/routes.ts'
import { createStreamHub } from '../../../api/streams/hub.ts'
import type { Sql } from '../../../shared/db/connect.ts'
import { formatTronAddress } from '../../../shared/domain/chain-families/tron/address.ts'
import { SPLIT_FACTORY } from '../../../shared/domain/split-address.ts'
import { type ApiConfig, readApiConfig } from '../../../shared/runtime/api-config.ts'
import type { IndexerDeployment } from '../../../shared/runtime/indexer-config.ts'
import type { Logger } from '../../../shared/runtime/logger.ts'
import { TRON_FACTORY } from '../model/tron.ts'
import { CHECKOUT_BASE_URL, TREASURY } from '../world.ts'
import type { Handle } from './handle-request.ts'

type Terms = {
  readonly sql: Sql
  readonly log: Logger
  readonly deployments: readonly IndexerDeployment[]
  /** Whether payers name the destinations of refunds in this history, on pages of the checkout. */
  readonly hasClaims: boolean
}

/** Header with which a merchant requests a deadline on a whole second, like block timestamps. */
export const WHOLE_SECOND = 'x-whole-second'

/**
 * Creates the product's app with all middleware, but only the endpoints that histories use. With all endpoints, each
 * start of a process would take 0.1 s longer.
 *
 * The streams do not start: no client of a history opens one.
 */
export function createSimulatedApp({ sql, log, deployments, hasClaims }: Terms): Handle {
  const config = createApiConfig(deployments, { hasClaims })
  const metrics = new Registry()
  const readers = createReaders({ maxBytes: config.maxUnreadBytes, metrics })
  const hub = createStreamHub({
    ...{ sql, log, readers, metrics, config },
    present: (charge) => presentStreamedCharge(charge, { config, swap: null }),
    readPages: createReadPages({ sql, config, swap: null }),
  })
  const deps = { sql, exportSql: sql, config, log, metrics, hub, readers, swap: null, version: 'simulated' }
  const chainOf = createChains(deployments)
  const ask = createReadIssuerRestriction(config, chainOf)
  const reading = { ...deps, getCharge: createGetCharge(deps), chainOf, ask }
  const routes = [
    ...chargeRoutes(reading).map(allowShortLives),
    ...checkRoutes(reading),
    ...sandboxRoutes(reading),
    ...(hasClaims ? refundRoutes(reading) : []),
  ]
  document ??= describeRoutes(routes, deps).document
  return createApp(deps, { routes, document, chainOf }).callback()
}

/** The API document of the first process, which all processes share. No client of a history reads it. */
let document: DescribedRoutes['document'] | undefined

/**
 * Creates the configuration that all simulated API processes share. It has a checkout only if the history has claims.
 */
export function createApiConfig(
  deployments: readonly IndexerDeployment[],
  { hasClaims = false }: { readonly hasClaims?: boolean } = {},
): ApiConfig {
  const config = readApiConfig({
    ...{ API_DATABASE_URL: 'postgres://unused', TREASURY_ADDRESS: TREASURY, RATE_LIMIT_PER_MINUTE: '10000' },
    TREASURY_ADDRESS_TRON: formatTronAddress(TREASURY),
    DEPLOYMENTS: listNames(deployments).join(','),
    CURSOR_SECRET: 'a secret of thirty-two characters',
    ...(hasClaims && { CHECKOUT_BASE_URL }),
  })
  return { ...config, deployments, splitFactories: { live: FACTORIES, test: FACTORIES } }
}

const FACTORIES = { evm: SPLIT_FACTORY, tron: TRON_FACTORY }

/**
 * Lists the names of the deployments except those of TRON, whose factory can only be configured in a file. Without
 * any other deployment, returns a name nevertheless, because the setting must not be empty.
 */
function listNames(deployments: readonly IndexerDeployment[]): readonly string[] {
  const names = deployments
    .filter(({ family }) => family !== 'tron')
    .map(({ network, environment }) => `${network}:${environment}`)
  return names.length === 0 ? deployments.map(({ environment }) => `base:${environment}`) : names
}

/**
 * The body of a new charge, except that `expiresIn` may be any positive number of seconds up to an hour, including
 * fractions, because histories are short. The product requires a whole number and at least 60 s.
 */
const SHORT_LIVED_CHARGE: TObject = {
  ...CreateChargeBody,
  properties: {
    ...CreateChargeBody.properties,
    expiresIn: Type.Number({ exclusiveMinimum: 0, maximum: 3_600 }),
  },
}

function allowShortLives(route: Route): Route {
  if (route.operationId !== 'createCharge' || route.access !== 'key' || route.body === undefined) return route
  const body = { ...route.body, schema: SHORT_LIVED_CHARGE }
  return { ...route, body, handle: onWholeSeconds(route.handle) }
}

/** Rounds the time of a request with the header `WHOLE_SECOND` down to a whole second. */
function onWholeSeconds(handle: KeyedRoute['handle']): KeyedRoute['handle'] {
  return (request, ctx) => {
    if (ctx.get(WHOLE_SECOND) === '') return handle(request, ctx)
    const { key } = request
    const now = new Date(Math.floor(key.now.getTime() / 1000) * 1000)
    return handle({ ...request, key: { ...key, now } }, ctx)
  }
}
