import packageJson from '../package.json' with { type: 'json' }
import { requireFeedsLive } from '../shared/db/chain-facts/daemon/deployments.ts'
import { listHeadAges } from '../shared/db/chain-facts/daemon/head-ages.ts'
import { countParkedCharges } from '../shared/db/charges/daemon/parked-charges.ts'
import { rememberServiceTerms } from '../shared/db/charges/daemon/service-terms.ts'
import { readCommitSetting } from '../shared/db/commit-setting.ts'
import { connect, type Sql, saysNothing } from '../shared/db/connect.ts'
import { sequenceEvents } from '../shared/db/events/daemon/events.ts'
import { ping } from '../shared/db/health-counts.ts'
import { inTransaction, observeWaits } from '../shared/db/transaction.ts'
import { microToAtto } from '../shared/domain/money.ts'
import { systemClock } from '../shared/runtime/clock.ts'
import { createCommitCheck, reportRefusal } from '../shared/runtime/commit-check.ts'
import { checkConfig } from '../shared/runtime/config-error.ts'
import { registerDatabase } from '../shared/runtime/database-metrics.ts'
import { type IndexerConfig, readIndexerConfig } from '../shared/runtime/indexer-config.ts'
import { createInternalServer } from '../shared/runtime/internal-server.ts'
import { createLifecycle } from '../shared/runtime/lifecycle.ts'
import { createLogger, type Logger } from '../shared/runtime/logger.ts'
import { createMetrics, type Metrics, registerBuild } from '../shared/runtime/metrics.ts'
import { createNodeWatch } from '../shared/runtime/node-watch.ts'
import { createLoop } from '../shared/runtime/poll-loop.ts'
import { serviceTermsOf } from '../shared/runtime/service-terms.ts'
import { createSilenceWatch } from '../shared/runtime/silence-watch.ts'
import { payBySignature } from './authorizations/pay-by-signature.ts'
import { withdrawOffers } from './authorizations/withdraw-offers.ts'
import { createChainFeed } from './chain-feed/chain-feed.ts'
import { createFeedMetrics } from './chain-feed/feed-metrics.ts'
import { createPonderMetrics, type PonderMetrics } from './chain-feed/ponder-metrics.ts'
import { registerHeads } from './chain-feed/register-heads.ts'
import { registerQuorums } from './chain-feed/register-quorums.ts'
import { requireDescribedTokens } from './chain-feed/require-described-tokens.ts'
import { requirePonderRole } from './chain-feed/require-ponder-role.ts'
import { takeChargeTurn, takeChargeTurns, tellCharge } from './charges/charge-actor.ts'
import { createChargeMetrics } from './charges/charge-metrics.ts'
import { createFailedTurns } from './charges/failed-turns.ts'
import { fulfilSimulatedOrder } from './charges/simulated-order-worker.ts'
import { createStrikeLoop } from './charges/strike-loop.ts'
import { createTakingUp, TAKE_UP_MS } from './charges/take-up-parked.ts'
import { fulfilTrigger } from './charges/trigger-worker.ts'
import { createChecks } from './checks/checks.ts'
import { createTrustWatch } from './corroboration/trust-watch.ts'
import { createEscrowEndLoops } from './escrow/escrow-end-loops.ts'
import { payOut } from './payouts/pay-out.ts'
import { compareWithChains } from './reconciliation/compare-with-chains.ts'
import { createForgetting, createSignatureForgetting } from './requests/forget.ts'
import { createRequestWake } from './requests/request-wake.ts'
import { createWebhookSending } from './webhooks/webhook-sending.ts'

const HELP = `The indexer daemon of the stablecoin payment service: it watches the chains and moves the charges.

  indexer/main.ts                  run, until SIGTERM or SIGINT
  indexer/main.ts --check-config   say everything that is wrong with the configuration, and exit
  indexer/main.ts --help           show this

It is configured by environment variables; .env.example explains every one.
`

/** Poll interval of loops that no notification wakes. */
const POLL_MS = 1_000

/**
 * If the database does not respond for 45 s, longer than any statement may take, the process exits. A restart opens new
 * connections; the current ones would wait for responses that never arrive.
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
  const log = createLogger({ level: config.logLevel, service: 'indexer' })
  const registry = createMetrics({ service: 'indexer' })
  const sql = connect({
    url: config.databaseUrl,
    applicationName: 'indexer',
    maxConnections: config.maxConnections,
  })
  registerBuild(registry, packageJson)
  const checkCommits = createCommitCheck({
    isOn: config.checksCommits,
    read: () => readCommitSetting(sql),
  })
  registerDatabase(registry, {
    ping: () => ping(sql),
    observeWaits: (observe) => observeWaits(sql, observe),
  })
  const chainIds = config.deployments.map(({ chainId }) => chainId)
  // An operator may let a single node of a chain decide for a limited time. All code that queries nodes reads it from
  // here.
  const trust = createTrustWatch({ sql, log })
  const deployments = config.deployments.map((deployment) => ({
    ...deployment,
    getTrusted: () => trust.getTrusted(deployment.chainId),
  }))
  const shared = {
    ...{ sql, log, registry, chainIds, ponderMetrics: createPonderMetrics() },
    config: { ...config, deployments },
  }

  // Numbering the events also notifies the streams.
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
  const charges = createLoop({ ...actors, name: 'charges', turn: () => takeChargeTurns(actor) })

  // Resumes charges that another build quarantined because it lacked a feature of this build, such as a chain family.
  const takingUp = createLoop({
    ...{ name: 'parked charges', intervalMs: TAKE_UP_MS, log },
    turn: createTakingUp({ sql, log, onNews: charges.wake }),
  })

  // The sandbox needs no chain, and neither do the orders of its releasers.
  const sandbox = createLoop({ ...actors, name: 'sandbox', turn: () => fulfilTrigger(actor) })
  const orders = { ...actors, name: 'sandbox orders', turn: () => fulfilSimulatedOrder(actor) }
  const sandboxOrders = createLoop(orders)

  // Only rows that a quorum of nodes confirms count. The feeds wake the corroboration, and that wakes the charges.
  const comparing = compareWithChains({ ...shared, onNews: charges.wake })
  const feeds = watchChains(shared, () => {
    charges.wake()
    comparing.corroborate()
  })

  // An operator can strike a counted row that every node denies.
  const strikes = deployments.map((deployment) => createStrikeLoop(actor, deployment))

  // An escrow does not end by its releaser's on-chain transfer until the balances of its Safe are compared.
  const escrowEnds = createEscrowEndLoops({ ...shared, onNews: charges.wake })

  // A check on request processes one charge immediately, even while the feeds are down.
  const checks = createChecks({
    ...{ sql, deployments, now: systemClock, log },
    takeTurn: (chargeId) => takeChargeTurn(actor, chargeId),
  })

  // Our relayer sends the payouts that keepers leave.
  const settlement = payOut({
    ...{ ...shared, clock: systemClock },
    reportPayoutFailed: (db, chargeId) =>
      tellCharge(actor, db, { chargeId, fact: { type: 'payouts.failed' } }),
  })

  // Submits the payers' signed authorizations, from a separate account.
  const authorizations = payBySignature({ ...shared, clock: systemClock })

  // No webhook is sent without the key that opens the endpoints' secrets.
  const webhooks =
    config.webhooks.sealPrivateKeys.length === 0
      ? null
      : createWebhookSending({ sql, config, log, clock: systemClock, registry, onEvents: sequencer.wake })

  const forgetting = createForgetting({ sql, log })
  const signatureForgetting = createSignatureForgetting({ sql, log })
  const requests = createRequestWake(sql, {
    check: checks.wake,
    sandbox_trigger: sandbox.wake,
    escrow_order: sandboxOrders.wake,
    authorization: authorizations.wake,
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
    ...strikes,
    ...settlement,
    ...authorizations.loops,
  ]
  const internal = serveInternally(shared)
  const lifecycle = createLifecycle({ log })
  const silence = createSilenceWatch({
    ...{ ...SILENCE, name: 'silence', isSilence: saysNothing },
    ask: reportRefusal(checkCommits, lifecycle.fail),
    onSilent: () => lifecycle.fail(new Error('the database has not answered for 45 s')),
  })

  // Starts in this order and stops in reverse: the feeds stop their Ponders first, the pool closes last.
  await lifecycle.start([
    { name: 'database', start: checkCommits, stop: () => sql.end({ timeout: 5 }) },
    silence,
    {
      name: 'role of Ponder',
      start: () => requirePonderRole(sql, config),
      stop: () => undefined,
    },
    {
      name: 'terms',
      start: () => rememberServiceTerms(sql, serviceTermsOf(config)),
      stop: () => undefined,
    },
    { name: 'tokens', start: () => requireDescribedTokens(sql, config.deployments), stop: () => undefined },
    { name: 'signatures', start: () => withdrawOffers(sql, config), stop: () => undefined },
    { name: 'internal server', start: internal.start, stop: internal.stop },
    ...loops.map((loop) => ({ name: 'loop', start: loop.start, stop: loop.stop })),
    ...(webhooks === null ? [] : [webhooks]),
    checks,
    requests,
    ...feeds,
  ])
}

type Shared = {
  readonly sql: Sql
  readonly config: IndexerConfig
  readonly log: Logger
  readonly registry: Metrics
  readonly chainIds: readonly number[]
  readonly ponderMetrics: PonderMetrics
}

function describeActor({ sql, config, log, registry }: Shared, onEvents: () => void) {
  const minimumPayouts = new Map(
    config.deployments.map(({ chainId, minimumPayoutMicro }) => [chainId, minimumPayoutMicro]),
  )
  return {
    ...{ sql, now: systemClock, log, onEvents, failedTurns: createFailedTurns() },
    metrics: createChargeMetrics(registry, { countParked: () => countParkedCharges(sql) }),
    expiry: { silentSeconds: config.silentNetworkMs / 1_000 },
    graceSeconds: config.payouts.graceSeconds,
    minimumPayoutOf: (chainId: number) =>
      microToAtto(minimumPayouts.get(chainId) ?? config.payouts.minimumMicro),
    checkoutBaseUrl: config.checkoutBaseUrl,
    swapProvider: config.swapProvider,
  }
}

/** Creates the chain feeds. New rows wake the charges. */
function watchChains({ sql, config, log, registry, chainIds, ponderMetrics }: Shared, onNews: () => void) {
  const metrics = createFeedMetrics(registry, chainIds)
  const { deployments, staleAfter } = config
  registerHeads(registry, { deployments, listHeadAges: () => listHeadAges(sql, { chainIds, staleAfter }) })
  registerQuorums({ log, registry }, deployments)
  const { note: onNodeVerdict } = createNodeWatch({ log, registry })
  return deployments.map((deployment) =>
    createChainFeed({
      ...{ sql, deployment, log, now: systemClock, metrics, ponderMetrics, onNews },
      databaseUrl: config.databaseUrl,
      ponderDatabaseUrl: config.ponderDatabaseUrl,
      maxHeapMb: config.ponderHeapMb,
      silentMs: config.silentNetworkMs,
      onNodeVerdict,
    }),
  )
}

/** Serves health, readiness and metrics on a separate port. */
function serveInternally({ sql, config, registry, chainIds, ponderMetrics }: Shared) {
  return createInternalServer({
    ...config.internal,
    metrics: ponderMetrics.besides(registry),
    checks: { database: () => ping(sql), feeds: () => requireFeedsLive(sql, chainIds) },
  })
}
