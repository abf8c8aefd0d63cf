import packageJson from '../package.json' with { type: 'json' }
import { createNodePacers } from '../shared/chain/pacing/node-pacers.ts'
import { requireFeedsLive } from '../shared/db/chain-facts/daemon/deployments.ts'
import { SESSION_ENDS_AFTER_MS } from '../shared/db/chain-facts/daemon/owner-lock.ts'
import { recordServiceTerms } from '../shared/db/charges/daemon/service-terms.ts'
import { readCommitSetting } from '../shared/db/commit-setting.ts'
import { connect, isTimeout } from '../shared/db/connect.ts'
import { ping } from '../shared/db/health.ts'
import { findSessionProblems } from '../shared/db/session-check.ts'
import { onConnectionWait } from '../shared/db/transaction.ts'
import { systemClock } from '../shared/runtime/clock.ts'
import { createCommitCheck, reportRejection } from '../shared/runtime/commit-check.ts'
import { checkConfig } from '../shared/runtime/config-error.ts'
import { createDatabaseCheck } from '../shared/runtime/database-check.ts'
import { registerDatabase } from '../shared/runtime/database-metrics.ts'
import { readIndexerConfig } from '../shared/runtime/indexer-config.ts'
import { createInternalServer } from '../shared/runtime/internal-server.ts'
import { createLifecycle } from '../shared/runtime/lifecycle.ts'
import { createLivenessMonitor } from '../shared/runtime/liveness-monitor.ts'
import { createLogger } from '../shared/runtime/logger.ts'
import { createMetrics, registerBuild } from '../shared/runtime/metrics.ts'
import { listServiceTerms } from '../shared/runtime/service-terms.ts'
import { createPonderMetrics } from './chain-feed/ponder-metrics.ts'
import { requirePonderRole } from './chain-feed/require-ponder-role.ts'
import { requireUnchangedTokens } from './chain-feed/require-unchanged-tokens.ts'
import { createDaemon } from './daemon.ts'
import { deleteStaleSignablePairs } from './pay-by-signature/delete-stale-signable-pairs.ts'
import { createStatusPage } from './status-page/create-status-page.ts'
import { rememberErrors } from './status-page/recent-errors.ts'

const HELP = `The indexer daemon of the stablecoin payment service: it watches the chains and updates the charges.

  indexer/main.ts                  run until SIGTERM or SIGINT
  indexer/main.ts --check-config   report every configuration error, and exit
  indexer/main.ts --help           show this help

Environment variables configure it; .env.example describes them.
`

/**
 * Interval of the database check, and the number of intervals without a response after which the process exits. Their
 * product, 45 s, is longer than any statement may take. A restart opens new connections; the current connections would
 * wait for responses that never arrive.
 */
const SILENCE = { everyMs: 5_000, looks: 9 }

if (process.argv.includes('--help')) {
  process.stdout.write(HELP)
} else if (process.argv.includes('--check-config')) {
  process.exitCode = checkConfig(readIndexerConfig)
} else {
  await run()
}

async function run(): Promise<void> {
  const config = readIndexerConfig()
  const recentErrors = rememberErrors(
    createLogger({ level: config.logLevel, service: 'indexer' }),
    systemClock,
  )
  const { log } = recentErrors
  const registry = createMetrics({ service: 'indexer' })
  const sql = connect({
    url: config.databaseUrl,
    applicationName: 'indexer',
    maxConnections: config.maxConnections,
    onClosed: () => database.repeat(),
  })
  registerBuild(registry, packageJson)
  const database = createDatabaseCheck({
    checkCommits: createCommitCheck({ isOn: config.checksCommits, read: () => readCommitSetting(sql) }),
    findSessionProblems: () =>
      findSessionProblems({ url: config.databaseUrl, idleSessionTimeoutMs: SESSION_ENDS_AFTER_MS }),
  })
  registerDatabase(registry, {
    ping: () => ping(sql),
    observeWaits: (observe) => onConnectionWait(sql, observe),
  })
  const { deployments, prometheusUrl } = config
  const pacers = createNodePacers(deployments, { share: config.nodeBudgetShare })
  const ponderMetrics = createPonderMetrics()
  const daemon = createDaemon({ sql, config, log, registry, pacers, ponderMetrics })
  const chainIds = deployments.map(({ chainId }) => chainId)
  const internal = createInternalServer({
    ...config.internal,
    metrics: ponderMetrics.besides(registry),
    checks: { database: () => ping(sql), feeds: () => requireFeedsLive(sql, chainIds) },
    renderPage: createStatusPage({
      ...{ registry, networks: deployments, prometheusUrl, now: systemClock },
      listErrors: recentErrors.list,
    }),
  })
  const lifecycle = createLifecycle({ log })
  const silence = createLivenessMonitor({
    ...{ ...SILENCE, name: 'silence', isSilence: isTimeout },
    ask: reportRejection(database.check, lifecycle.fail),
    onSilent: () => lifecycle.fail(new Error('the database has not responded for 45 s')),
  })

  // The parts start in this order and stop in reverse. The feeds and their Ponders therefore stop before the loops that
  // process their rows, and the connection pool closes last.
  await lifecycle.start([
    { name: 'database', start: database.check, stop: () => sql.end({ timeout: 5 }) },
    silence,
    { name: 'role of Ponder', start: () => requirePonderRole(sql, config) },
    { name: 'terms', start: () => recordServiceTerms(sql, listServiceTerms(config)) },
    { name: 'tokens', start: () => requireUnchangedTokens(sql, config.deployments) },
    { name: 'signatures', start: () => deleteStaleSignablePairs(sql, config) },
    { name: 'internal server', start: internal.start, stop: internal.stop },
    ...daemon,
  ])
}
