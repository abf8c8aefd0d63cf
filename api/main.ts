import packageJson from '../package.json' with { type: 'json' }
import { createNodePacers } from '../shared/chain/pacing/node-pacers.ts'
import { readCommitSetting } from '../shared/db/commit-setting.ts'
import { connect } from '../shared/db/connect.ts'
import { ping } from '../shared/db/health.ts'
import { findSessionProblems } from '../shared/db/session-check.ts'
import { onConnectionWait } from '../shared/db/transaction.ts'
import { readApiConfig } from '../shared/runtime/api-config.ts'
import { createCommitCheck, reportRejection } from '../shared/runtime/commit-check.ts'
import { checkConfig } from '../shared/runtime/config-error.ts'
import { createDatabaseCheck } from '../shared/runtime/database-check.ts'
import { registerDatabase } from '../shared/runtime/database-metrics.ts'
import { createInternalServer } from '../shared/runtime/internal-server.ts'
import { createLifecycle } from '../shared/runtime/lifecycle.ts'
import { limitHeapGrowth } from '../shared/runtime/limit-heap-growth.ts'
import { createLogger } from '../shared/runtime/logger.ts'
import { createMetrics, registerBuild } from '../shared/runtime/metrics.ts'
import { registerNodeBudgets } from '../shared/runtime/node-budget-metrics.ts'
import { createNodeMonitor } from '../shared/runtime/node-monitor.ts'
import { connectExports } from './accounting/exports.ts'
import { createApp } from './app.ts'
import { presentStreamedCharge } from './charges/present.ts'
import { createReadPages } from './checkout/read-pages.ts'
import { createApiServer } from './http/create-server.ts'
import { createReaders } from './http/response-buffers.ts'
import { createStreamHub } from './streams/hub.ts'
import { createSwap } from './swap/create-swap.ts'

const HELP = `The REST API of the stablecoin payment service.

  api/main.ts                  serve requests until SIGTERM or SIGINT
  api/main.ts --check-config   report every configuration error, and exit
  api/main.ts --help           show this help

Environment variables configure it; .env.example describes each of them.
`

if (process.argv.includes('--help')) {
  process.stdout.write(HELP)
} else if (process.argv.includes('--check-config')) {
  process.exitCode = checkConfig(readApiConfig)
} else {
  await serve()
}

async function serve(): Promise<void> {
  limitHeapGrowth()
  const settings = readApiConfig()
  const { pacerOf, nodes } = createNodePacers(settings.deployments, { share: settings.nodeBudgetShare })
  const config = { ...settings, deployments: settings.deployments.map((one) => ({ ...one, pacerOf })) }
  const log = createLogger({ level: config.logLevel, service: 'api' })
  const metrics = createMetrics({ service: 'api' })
  const sql = connect({
    url: config.databaseUrl,
    applicationName: 'api',
    maxConnections: config.maxConnections,
    onClosed: () => database.repeat(),
  })
  const exportSql = connectExports(config)
  const lifecycle = createLifecycle({ log })
  const database = createDatabaseCheck({
    checkCommits: createCommitCheck({ isOn: config.checksCommits, read: () => readCommitSetting(sql) }),
    findSessionProblems: () => findSessionProblems({ url: config.databaseUrl }),
  })
  registerBuild(metrics, packageJson)
  registerNodeBudgets(metrics, nodes)
  registerDatabase(metrics, {
    ping: () => ping(sql),
    observeWaits: (observe) => onConnectionWait(sql, observe),
  })

  const readers = createReaders({ maxBytes: config.maxUnreadBytes, metrics })
  const onNodeVerdict = createNodeMonitor({ log, registry: metrics })
  const swap = createSwap({ sql, config, log, onNodeVerdict })
  const hub = createStreamHub({
    sql,
    log,
    ...{ readers, metrics },
    config,
    present: (charge) => presentStreamedCharge(charge, { config, swap }),
    readPages: createReadPages({ sql, config, swap }),
  })
  const app = createApp({
    ...{ sql, exportSql, config, log, metrics, hub, readers, swap, onNodeVerdict },
    version: packageJson.version,
  })
  const api = createApiServer(app, { ...config, onStopping: hub.endStreams })
  const internal = createInternalServer({
    ...config.internal,
    metrics,
    checks: { database: reportRejection(database.check, lifecycle.fail), serving: api.requireServing },
  })

  // Start in this order and stop in reverse, so that the pool closes after its users.
  await lifecycle.start([
    { name: 'database', start: database.check, stop: () => sql.end({ timeout: 5 }) },
    { name: 'exports', start: () => undefined, stop: () => exportSql.end({ timeout: 5 }) },
    { name: 'internal server', start: internal.start, stop: internal.stop },
    { name: 'streams', start: hub.start, stop: hub.stop },
    ...(swap === null ? [] : [{ name: 'swap', start: swap.start, stop: swap.stop }]),
    {
      name: 'api',
      start: async () => log.info({ msg: 'Listening', host: config.host, port: await api.start() }),
      stop: api.stop,
    },
  ])
}
