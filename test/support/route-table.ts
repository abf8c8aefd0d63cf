import { listRoutes } from '../../api/app.ts'
import { presentStreamedCharge } from '../../api/charges/present.ts'
import type { OpenApiDocument } from '../../api/docs/openapi/openapi-types.ts'
import type { DescribedRoutes } from '../../api/docs/openapi/routes.ts'
import { createReaders } from '../../api/http/response-buffers.ts'
import type { Route } from '../../api/http/route.ts'
import { createStreamHub } from '../../api/streams/hub.ts'
import { connect } from '../../shared/db/connect.ts'
import type { ChargeRecord } from '../../shared/domain/charge.ts'
import { readApiConfig } from '../../shared/runtime/api-config.ts'
import { createLogger } from '../../shared/runtime/logger.ts'
import { createMetrics } from '../../shared/runtime/metrics.ts'

/** Returns all routes of the API, without a database. */
export function readRouteTable(): readonly Route[] {
  return readRoutes().routes
}

/** Returns the API document as served at `/v1/openapi.json`, except for its version. */
export function readDocument(): OpenApiDocument {
  return readRoutes().document
}

function readRoutes(): DescribedRoutes {
  const url = 'postgres://nobody@127.0.0.1:1/nothing'
  const config = readApiConfig({
    API_DATABASE_URL: url,
    TREASURY_ADDRESS: '0x0000000000000000000000000000000000077ea5',
    CURSOR_SECRET: 'a secret of thirty-two characters',
  })
  // Never connects, because a pool connects for its first query and none is run.
  const sql = connect({ url, applicationName: 'route table', maxConnections: 1 })
  const log = createLogger({ level: 'error', service: 'api' })
  const present = (charge: ChargeRecord) => presentStreamedCharge(charge, { config, swap: null })
  const metrics = createMetrics({ service: 'api' })
  const readers = createReaders({ maxBytes: config.maxUnreadBytes, metrics })
  const hub = createStreamHub({
    sql,
    log,
    readers,
    metrics,
    config,
    present,
    readPages: async () => new Map(),
  })
  return listRoutes({ sql, exportSql: sql, config, log, hub, readers, swap: null, metrics, version: VERSION })
}

const VERSION = '1.0.0'
