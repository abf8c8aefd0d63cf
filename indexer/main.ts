import packageJson from '../package.json' with { type: 'json' }
import { createNodePacers, type NodePacers } from '../shared/chain/pacing/node-pacers.ts'
import { requireFeedsLive } from '../shared/db/chain-facts/daemon/deployments.ts'
import { listHeadAges } from '../shared/db/chain-facts/daemon/head-ages.ts'
import { SESSION_ENDS_AFTER_MS } from '../shared/db/chain-facts/daemon/owner-lock.ts'
import { countQuarantinedCharges } from '../shared/db/charges/daemon/quarantined-charges.ts'
import { recordServiceTerms } from '../shared/db/charges/daemon/service-terms.ts'
import { readCommitSetting } from '../shared/db/commit-setting.ts'
import { connect, isTimeout, type Sql } from '../shared/db/connect.ts'
import { sequenceEvents } from '../shared/db/events/daemon/events.ts'
import { ping } from '../shared/db/health.ts'
import { findSessionProblems } from '../shared/db/session-check.ts'
import { inTransaction, onConnectionWait } from '../shared/db/transaction.ts'
import { microToAtto } from '../shared/domain/money.ts'
import { systemClock } from '../shared/runtime/clock.ts'
import { createCommitCheck, reportRejection } from '../shared/runtime/commit-check.ts'
import { checkConfig } from '../shared/runtime/config-error.ts'
import { createDatabaseCheck } from '../shared/runtime/database-check.ts'
import { registerDatabase } from '../shared/runtime/database-metrics.ts'
import { type IndexerConfig, readIndexerConfig } from '../shared/runtime/indexer-config.ts'
import { createInternalServer } from '../shared/runtime/internal-server.ts'
import { createLifecycle } from '../shared/runtime/lifecycle.ts'
import { createLivenessMonitor } from '../shared/runtime/liveness-monitor.ts'
import { createLogger, type Logger } from '../shared/runtime/logger.ts'
import { createMetrics, type Metrics, registerBuild } from '../shared/runtime/metrics.ts'
import { registerNodeBudgets } from '../shared/runtime/node-budget-metrics.ts'
import { createNodeMonitor } from '../shared/runtime/node-monitor.ts'
import { createLoop } from '../shared/runtime/poll-loop.ts'
import { listServiceTerms } from '../shared/runtime/service-terms.ts'
import { createChainFeed } from './chain-feed/chain-feed.ts'
import { createFeedMetrics } from './chain-feed/feed-metrics.ts'
import { fitToLimits } from './chain-feed/fit-to-limits.ts'
import { registerHeadMetrics } from './chain-feed/head-metrics.ts'
import { createPonderMetrics, type PonderMetrics } from './chain-feed/ponder-metrics.ts'
import { registerQuorums } from './chain-feed/register-quorums.ts'
import { requirePonderRole } from './chain-feed/require-ponder-role.ts'
import { requireUnchangedTokens } from './chain-feed/require-unchanged-tokens.ts'
import { createChargeChecks } from './charge-checks/create-charge-checks.ts'
import { applyChargeFact, runChargeTurn, runChargeTurns } from './charges/charge-actor.ts'
import { createChargeMetrics } from './charges/charge-metrics.ts'
import { createQuarantineRetry, QUARANTINE_RETRY_MS } from './charges/resume-quarantined.ts'
import { processSimulatedOrder } from './charges/simulated-order-worker.ts'
import { createStrikeLoop } from './charges/strike-loop.ts'
import { processTrigger } from './charges/trigger-worker.ts'
import { createTurnFailureTracker } from './charges/turn-failure-tracker.ts'
import { createTrustWatch } from './corroboration/trust-monitor.ts'
import { createEscrowEndLoops } from './escrow/escrow-end-loops.ts'
import { createEvidenceLoops } from './evidence/evidence-loops.ts'
import { createPayBySignature } from './pay-by-signature/create-pay-by-signature.ts'
import { deleteStaleSignablePairs } from './pay-by-signature/delete-stale-signable-pairs.ts'
import { createPayoutLoops } from './payouts/payout-loops.ts'
import { createReconciliationLoops } from './reconciliation/reconciliation-loops.ts'
import { createRefundLoops } from './refunds/refund-loops.ts'
import { createPayingAccountLoop } from './relayer/record-paying-accounts.ts'
import { createRequestListener } from './requests/request-listener.ts'
import { createRetentionLoop, createUnservedSignatureExpiry } from './requests/retention.ts'
import { createStatusPage } from './status-page/create-status-page.ts'
import { type RecentError, rememberErrors } from './status-page/recent-errors.ts'
import { createWebhookLoops } from './webhooks/webhook-loops.ts'

const HELP = `The indexer daemon of the stablecoin payment service: it watches the chains and updates the charges.

  indexer/main.ts                  run until SIGTERM or SIGINT
  indexer/main.ts --check-config   report every configuration error, and exit
  indexer/main.ts --help           show this help

Environment variables configure it; .env.example describes them.
`

/** Poll interval of loops that no notification wakes. */
const POLL_MS = 1_000

/**
 * Maximum time without a response from the database, longer than any statement may take. After it, the process exits. A
 * restart opens new connections; the current ones would wait for responses that never arrive.
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
  const chainIds = config.deployments.map(({ chainId }) => chainId)
  // An operator may let a single node of a chain decide for a limited time. All code that queries nodes gets the
  // trusted node here.
  const trust = createTrustWatch({ sql, log })
  // All rooms, and the Ponder processes, share each node's budget.
  const pacers = createNodePacers(config.deployments, { share: config.nodeBudgetShare })
  const deployments = config.deployments.map((deployment) => ({
    ...fitToLimits(log, deployment, config.nodeBudgetShare),
    getTrusted: () => trust.getTrusted(deployment.chainId),
    pacerOf: pacers.pacerOf,
  }))
  const shared = {
    ...{ sql, log, registry, chainIds, pacers, ponderMetrics: createPonderMetrics() },
    config: { ...config, deployments },
  }

  // The loop that numbers events also notifies the streams.
  const sequencer = createLoop({
    name: 'sequencer',
    intervalMs: POLL_MS,
    turn: async () => {
      const numbered = await inTransaction(sql, sequenceEvents)
      if (numbered > 0) webhooks?.wake()
      return numbered > 0 ? 'more' : 'idle'
    },
    log,
  })

  const actor = describeActor(shared, sequencer.wake)
  const actors = { intervalMs: POLL_MS, log }
  const charges = createLoop({ ...actors, name: 'charges', turn: () => runChargeTurns(actor) })

  // Resumes charges that another build quarantined because it lacked a feature of this build, such as a chain family.
  const takingUp = createLoop({
    ...{ name: 'parked charges', intervalMs: QUARANTINE_RETRY_MS, log },
    turn: createQuarantineRetry({ sql, log, onNews: charges.wake }),
  })

  // Neither the sandbox nor the escrow orders of simulated charges need a chain.
  const sandbox = createLoop({ ...actors, name: 'sandbox', turn: () => processTrigger(actor) })
  const orders = { ...actors, name: 'sandbox orders', turn: () => processSimulatedOrder(actor) }
  const sandboxOrders = createLoop(orders)

  // A row counts only if a quorum of nodes confirms it. The feeds wake the charges and the corroboration, which wakes
  // the charges again.
  const comparing = createReconciliationLoops({ ...shared, onNews: charges.wake })
  const feeds = watchChains(shared, () => {
    charges.wake()
    comparing.corroborate()
  })

  // An operator can strike a counted row that every node denies.
  const strikes = deployments.map((deployment) => createStrikeLoop(actor, deployment))

  // After a releaser's on-chain transfer, an escrow ends only once the balances of its Safe were compared with our
  // rows.
  const escrowEnds = createEscrowEndLoops({ ...shared, onNews: charges.wake })

  // Nodes may delete old receipts, so the receipts of counted transactions are proven soon.
  const evidence = createEvidenceLoops({ ...shared, deployments })

  // A check on request processes one charge immediately, even while the feeds are down.
  const checks = createChargeChecks({
    ...{ sql, deployments, now: systemClock, log },
    takeTurn: (chargeId) => runChargeTurn(actor, chargeId),
  })

  // Our relayer sends the payouts that no keeper sends.
  const settlement = createPayoutLoops({
    ...{ ...shared, clock: systemClock },
    reportPayoutFailed: (db, chargeId) =>
      applyChargeFact(actor, db, { chargeId, fact: { type: 'payouts.failed' } }),
  })

  // Merchants pay refunds from their own wallets; the daemon recognizes the transfers.
  const refunds = createRefundLoops({
    ...{ ...actor, registry, deployments },
    onlyToPayers: config.onlyRefundsToPayers,
  })

  // Submits the payers' signed authorizations, from a separate account.
  const authorizations = createPayBySignature({ ...shared, clock: systemClock })

  // No webhook is sent without the key that decrypts the endpoints' secrets.
  const webhooks =
    config.webhooks.sealPrivateKeys.length === 0
      ? null
      : createWebhookLoops({ sql, config, log, clock: systemClock, registry, onEvents: sequencer.wake })

  const accounts = createPayingAccountLoop(shared)

  const forgetting = createRetentionLoop({ sql, log })
  const signatureForgetting = createUnservedSignatureExpiry({ sql, log })
  const requests = createRequestListener(sql, {
    check: checks.wake,
    sandbox_trigger: sandbox.wake,
    escrow_order: sandboxOrders.wake,
    authorization: authorizations.wake,
    refund: refunds.wake,
  })
  const loops = [
    trust.loop,
    sequencer,
    charges,
    takingUp,
    sandbox,
    sandboxOrders,
    forgetting,
    signatureForgetting,
    ...comparing.loops,
    ...escrowEnds,
    ...evidence.loops,
    ...strikes,
    ...settlement,
    ...authorizations.loops,
    ...refunds.loops,
  ]
  const internal = serveInternally(shared, recentErrors.list)
  const lifecycle = createLifecycle({ log })
  const silence = createLivenessMonitor({
    ...{ ...SILENCE, name: 'silence', isSilence: isTimeout },
    ask: reportRejection(database.check, lifecycle.fail),
    onSilent: () => lifecycle.fail(new Error('the database has not responded for 45 s')),
  })

  // Starts in this order and stops in reverse: the feeds stop their Ponders first, the pool closes last.
  await lifecycle.start([
    { name: 'database', start: database.check, stop: () => sql.end({ timeout: 5 }) },
    silence,
    { name: 'role of Ponder', start: () => requirePonderRole(sql, config) },
    { name: 'terms', start: () => recordServiceTerms(sql, listServiceTerms(config)) },
    { name: 'tokens', start: () => requireUnchangedTokens(sql, config.deployments) },
    { name: 'signatures', start: () => deleteStaleSignablePairs(sql, config) },
    { name: 'internal server', start: internal.start, stop: internal.stop },
    ...loops.map((loop) => ({ name: 'loop', start: loop.start, stop: loop.stop })),
    { name: 'proofs', start: () => undefined, stop: evidence.stop },
    ...(webhooks === null ? [] : [webhooks]),
    checks,
    requests,
    ...feeds,
    // After the feeds, which record the chains.
    { name: 'paying accounts', start: accounts.start, stop: accounts.stop },
  ])
}

type Shared = {
  readonly sql: Sql
  readonly config: IndexerConfig
  readonly log: Logger
  readonly registry: Metrics
  readonly chainIds: readonly number[]
  readonly pacers: NodePacers
  readonly ponderMetrics: PonderMetrics
}

function describeActor({ sql, config, log, registry }: Shared, onEvents: () => void) {
  const minimumPayouts = new Map(
    config.deployments.map(({ chainId, minimumPayoutMicro }) => [chainId, minimumPayoutMicro]),
  )
  return {
    ...{ sql, now: systemClock, log, onEvents, failedTurns: createTurnFailureTracker() },
    metrics: createChargeMetrics(registry, { countParked: () => countQuarantinedCharges(sql) }),
    expiry: { silentSeconds: config.silentNetworkMs / 1_000 },
    graceSeconds: config.payouts.graceSeconds,
    minimumPayoutOf: (chainId: number) =>
      microToAtto(minimumPayouts.get(chainId) ?? config.payouts.minimumMicro),
    checkoutBaseUrl: config.checkoutBaseUrl,
    swapProvider: config.swapProvider,
  }
}

/** Creates the chain feeds. New rows wake the charges. */
function watchChains(
  { sql, config, log, registry, chainIds, pacers, ponderMetrics }: Shared,
  onNews: () => void,
) {
  const metrics = createFeedMetrics(registry, chainIds)
  const { deployments, staleAfter } = config
  registerHeadMetrics(registry, {
    deployments,
    listHeadAges: () => listHeadAges(sql, { chainIds, staleAfter }),
  })
  registerQuorums({ log, registry }, deployments)
  registerNodeBudgets(registry, pacers.nodes)
  const onNodeVerdict = createNodeMonitor({ log, registry })
  return deployments.map((deployment) =>
    createChainFeed({
      ...{ sql, deployment, log, now: systemClock, metrics, pacers, ponderMetrics, onNews },
      databaseUrl: config.databaseUrl,
      ponderDatabaseUrl: config.ponderDatabaseUrl,
      maxHeapMb: config.ponderHeapMb,
      silentMs: config.silentNetworkMs,
      onNodeVerdict,
    }),
  )
}

/** Serves health, readiness, metrics and the status page on a separate port. */
function serveInternally(
  { sql, config, registry, chainIds, ponderMetrics }: Shared,
  listErrors: () => readonly RecentError[],
) {
  const { deployments: networks, prometheusUrl } = config
  return createInternalServer({
    ...config.internal,
    metrics: ponderMetrics.besides(registry),
    checks: { database: () => ping(sql), feeds: () => requireFeedsLive(sql, chainIds) },
    renderPage: createStatusPage({ registry, networks, listErrors, prometheusUrl, now: systemClock }),
  })
}
