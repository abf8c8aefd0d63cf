/**
 * One server of the API benchmark, in its own process: our server for the argument `api`, a minimal server for `bare`.
 * Sends its base URL to the parent in a message.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createApp } from '../../api/app.ts'
import { presentStreamedCharge } from '../../api/charges/present.ts'
import { createReadPages } from '../../api/checkout/read-pages.ts'
import { createReaders } from '../../api/http/response-buffers.ts'
import { createStreamHub } from '../../api/streams/hub.ts'
import { connect } from '../../shared/db/connect.ts'
import { readApiConfig } from '../../shared/runtime/api-config.ts'
import { limitHeapGrowth } from '../../shared/runtime/limit-heap-growth.ts'
import { createLogger } from '../../shared/runtime/logger.ts'
import { createMetrics } from '../../shared/runtime/metrics.ts'
import { createBareApp } from './bare-koa.ts'

limitHeapGrowth()
const config = readApiConfig()
const sql = connect({
  url: config.databaseUrl,
  applicationName: 'bench',
  maxConnections: config.maxConnections,
})
const handle = (process.argv[2] === 'bare' ? createBareApp(sql) : createOurs()).callback()
const server = createServer((request, response) => void handle(request, response))
server.listen(0, '127.0.0.1', () => {
  process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
process.on('disconnect', () => process.exit(0))

function createOurs() {
  const log = createLogger({ level: config.logLevel, service: 'api' })
  const metrics = createMetrics({ service: 'api' })
  const readers = createReaders({ maxBytes: config.maxUnreadBytes, metrics })
  const hub = createStreamHub({
    sql,
    log,
    ...{ readers, metrics },
    config,
    present: (charge) => presentStreamedCharge(charge, { config, swap: null }),
    readPages: createReadPages({ sql, config, swap: null }),
  })
  void hub.start()
  return createApp({ sql, exportSql: sql, config, log, hub, readers, swap: null, metrics, version: 'bench' })
}
