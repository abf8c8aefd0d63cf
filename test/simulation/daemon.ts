import { Registry } from 'prom-client'
import { createFeedMetrics } from '../../indexer/chain-feed/feed-metrics.ts'
import { createSleepWatch } from '../../indexer/chain-feed/sleep-watch.ts'
import { createChargeChecks } from '../../indexer/charge-checks/create-charge-checks.ts'
import { applyChargeFact, runChargeTurn, runChargeTurns } from '../../indexer/charges/charge-actor.ts'
import { createQuarantineRetry } from '../../indexer/charges/resume-quarantined.ts'
import { createStrikeLoop } from '../../indexer/charges/strike-loop.ts'
import { processTrigger } from '../../indexer/charges/trigger-worker.ts'
import { createTurnFailureTracker } from '../../indexer/charges/turn-failure-tracker.ts'
import { createCorroborationLoop } from '../../indexer/corroboration/corroboration-loop.ts'
import { createTrustWatch } from '../../indexer/corroboration/trust-monitor.ts'
import { createEscrowEndLoops } from '../../indexer/escrow/escrow-end-loops.ts'
import { createPayBySignature } from '../../indexer/pay-by-signature/create-pay-by-signature.ts'
import { createChainPayoutLoops } from '../../indexer/payouts/chain-payout-loops.ts'
import { createExpiryVerificationLoop } from '../../indexer/reconciliation/expiry-verification-loop.ts'
import { createReconciliationLoop } from '../../indexer/reconciliation/reconciliation-loop.ts'
import { createReconciliationMetrics } from '../../indexer/reconciliation/reconciliation-metrics.ts'
import { createRefundLoops } from '../../indexer/refunds/refund-loops.ts'
import { createPayoutMetrics } from '../../indexer/relayer/payout-metrics.ts'
import { createDecryptSecrets } from '../../indexer/webhooks/decrypt-secrets.ts'
import { createDeliveryActor } from '../../indexer/webhooks/delivery-actor.ts'
import type { PostWebhook } from '../../indexer/webhooks/post-webhook.ts'
import { createWebhookMetrics } from '../../indexer/webhooks/webhook-metrics.ts'
import type { Sql } from '../../shared/db/connect.ts'
import { hasUnnumberedEvents, sequenceEvents } from '../../shared/db/events/daemon/events.ts'
import { inTransaction } from '../../shared/db/transaction.ts'
import { micro, microToAtto } from '../../shared/domain/money.ts'
import type { Clock } from '../../shared/runtime/clock.ts'
import type { IndexerDeployment } from '../../shared/runtime/indexer-config.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import { createLoop, type Loop } from '../../shared/runtime/poll-loop.ts'
import { createFeed, type FeedPort } from './feed.ts'
import {
  AUTHORIZER_PRIVATE_KEY,
  CHECKOUT_BASE_URL,
  RELAYER_PRIVATE_KEY,
  SEAL_KEYS,
  STALE_AFTER,
} from './world.ts'

/** Dependencies of a simulated daemon, like those of `createDaemon`, and the features that its history uses. */
export type DaemonTerms = {
  readonly sql: Sql
  readonly deployments: readonly IndexerDeployment[]
  readonly now: Clock
  readonly log: Logger
  readonly post: PostWebhook
  /** Whether the history has escrows. If not, the loops that detect the ends of escrows are not started. */
  readonly hasEscrows: boolean
  /** Whether payers pay by signature in this history. If not, the loops that execute authorizations are not started. */
  readonly hasSignatures: boolean
  /** Whether payers name the destinations of refunds on checkout pages in this history. */
  readonly hasClaims: boolean
  /** Time without work after which a network sleeps; 0 if networks never sleep. */
  readonly sleepAfterSeconds: number
  readonly isSandboxUsed: boolean
  readonly isTrustGiven: boolean
  readonly hasStrikes: boolean
  /** Whether charges are quarantined in this history. */
  readonly hasQuarantines: boolean
  readonly portOf: (chainId: number) => FeedPort
}

const POLL_MS = 1_000
const REQUESTS_POLL_MS = 3_000
/** Time between two releases of charges that another build has quarantined; ten minutes in the product. */
const QUARANTINE_RETRY_MS = 10_000
const SILENT_MS = 120_000
/** These waits are short because a history is short. The product waits for up to hours or days. */
const GRACE_SECONDS = 4
const PAYOUT_DELAYS_SECONDS = [0, 10, 20, 40, 60, 90, 120, 150]
const DELIVERY_DELAYS_SECONDS = [0, 10, 30, 60, 120]
const MINIMUM_MICRO = micro(1_000_000n)
const SIGNATURES = {
  staleAfter: STALE_AFTER,
  authorizations: {
    ...{
      relayerPrivateKey: AUTHORIZER_PRIVATE_KEY,
      networks: ['base', 'arc'] as const,
      dailyGasLimit: 100_000_000,
    },
    minimumMicroOf: () => MINIMUM_MICRO,
  },
}

/** Starts the loops of indexer/daemon.ts that histories use, without Ponder's process. */
export function startDaemon(terms: DaemonTerms): void {
  const { sql, now, log } = terms
  const sleepWatch = createSleepWatch(terms)
  const trust = createTrustWatch(terms)
  const deployments = terms.deployments.map((deployment) => ({
    ...deployment,
    sleep: sleepWatch.sleepOf(deployment.chainId),
    getTrusted: () => trust.getTrusted(deployment.chainId),
  }))
  const registry = new Registry()
  const chainIds = deployments.map(({ chainId }) => chainId)
  const sequencer = createLoop({
    ...{ name: 'sequencer', intervalMs: POLL_MS, log },
    turn: async () => {
      if (!(await hasUnnumberedEvents(sql))) return 'idle'
      return (await inTransaction(sql, sequenceEvents)) > 0 ? 'more' : 'idle'
    },
  })
  const actor = {
    ...{ sql, now, log, onEvents: sequencer.wake, swapProvider: null },
    checkoutBaseUrl: terms.hasClaims ? CHECKOUT_BASE_URL : null,
    expiry: { silentSeconds: SILENT_MS / 1000 },
    failedTurns: createTurnFailureTracker(),
    graceSeconds: GRACE_SECONDS,
    minimumPayoutOf: () => microToAtto(MINIMUM_MICRO),
  }
  const charges = createLoop({
    ...{ name: 'charges', intervalMs: POLL_MS, log },
    turn: () => runChargeTurns(actor),
  })
  const metricsOf = createPayoutMetrics(registry)
  const feedMetrics = createFeedMetrics(registry, chainIds)
  const common = {
    sql,
    log,
    now,
    onNews: charges.wake,
    metrics: createReconciliationMetrics(registry, {
      deployments,
      countUncorroborated: async () => 0,
      countOverdue: async () => 0,
    }),
  }
  const deliveries = createDeliveries(terms, { registry, onEvents: sequencer.wake })
  const loops: Loop[] = [sequencer, charges, deliveries, sleepWatch.loop]
  if (terms.isTrustGiven) loops.push(trust.loop)
  if (terms.hasQuarantines)
    loops.push(
      createLoop({
        ...{ name: 'parked charges', intervalMs: QUARANTINE_RETRY_MS, log },
        turn: createQuarantineRetry({ sql, log, onNews: charges.wake }),
      }),
    )
  if (terms.isSandboxUsed)
    loops.push(
      createLoop({ name: 'sandbox', intervalMs: REQUESTS_POLL_MS, turn: () => processTrigger(actor), log }),
    )
  for (const deployment of deployments) {
    const corroboration = createCorroborationLoop({ ...common, deployment })
    const onNews = () => {
      charges.wake()
      corroboration.wake()
    }
    if (terms.hasStrikes) loops.push(createStrikeLoop(actor, deployment))
    loops.push(
      ...createFeed({
        ...{ ...terms, deployment, metrics: feedMetrics, onNews, silentMs: SILENT_MS },
        port: terms.portOf(deployment.chainId),
      }),
      corroboration,
      createReconciliationLoop({ ...common, deployment }),
      createExpiryVerificationLoop({ ...common, deployment, silentSeconds: SILENT_MS / 1000 }),
      ...createChainPayoutLoops({
        ...{ sql, deployment, log, clock: now, relayerPrivateKey: RELAYER_PRIVATE_KEY },
        payouts: {
          graceSeconds: GRACE_SECONDS,
          attemptDelaysSeconds: PAYOUT_DELAYS_SECONDS,
          minimumMicro: MINIMUM_MICRO,
        },
        metrics: metricsOf(deployment.chainId),
        reportPayoutFailed: (db, chargeId) =>
          applyChargeFact(actor, db, { chargeId, fact: { type: 'payouts.failed' } }),
      }),
    )
  }
  const takeTurn = (chargeId: string) => runChargeTurn(actor, chargeId)
  const checks = createChargeChecks({ sql, deployments, now, log, takeTurn })
  const refunds = createRefundLoops({ ...actor, registry, deployments })
  const escrowEnds = terms.hasEscrows
    ? createEscrowEndLoops({ sql, config: { deployments }, log, registry, onNews: charges.wake })
    : []
  const signed = terms.hasSignatures
    ? createPayBySignature({ sql, log, registry, clock: now, config: { ...SIGNATURES, deployments } }).loops
    : []
  for (const part of [...loops, ...refunds.loops, ...escrowEnds, ...signed, checks]) part.start()
}

function createDeliveries(
  { sql, now, log, post }: DaemonTerms,
  { registry, onEvents }: { readonly registry: Registry; readonly onEvents: () => void },
): Loop {
  const nothing = () => Promise.resolve(0)
  const actor = createDeliveryActor({
    ...{ sql, clock: now, log, post, onEvents },
    openSecrets: createDecryptSecrets([SEAL_KEYS.privateKey]),
    metrics: createWebhookMetrics(registry, { countPending: nothing, oldestDueSeconds: nothing }),
    terms: { concurrency: 4, attemptDelaysSeconds: DELIVERY_DELAYS_SECONDS },
    onFree: () => deliveries.wake(),
  })
  const deliveries = createLoop({ name: 'deliveries', intervalMs: POLL_MS, turn: actor.turn, log })
  return deliveries
}
