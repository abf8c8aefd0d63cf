import type { NodePacers } from '../shared/chain/pacing/node-pacers.ts'
import type { Sql } from '../shared/db/connect.ts'
import { hasUnnumberedEvents, sequenceEvents } from '../shared/db/events/daemon/events.ts'
import { inTransaction } from '../shared/db/transaction.ts'
import { systemClock } from '../shared/runtime/clock.ts'
import type { IndexerConfig } from '../shared/runtime/indexer-config.ts'
import type { LifecyclePart } from '../shared/runtime/lifecycle.ts'
import type { Logger } from '../shared/runtime/logger.ts'
import type { Metrics } from '../shared/runtime/metrics.ts'
import { createLoop, type Loop } from '../shared/runtime/poll-loop.ts'
import { createChainFeeds } from './chain-feed/chain-feeds.ts'
import { fitToLimits } from './chain-feed/fit-to-limits.ts'
import type { PonderMetrics } from './chain-feed/ponder-metrics.ts'
import { createSleepWatch } from './chain-feed/sleep-watch.ts'
import { createChargeChecks } from './charge-checks/create-charge-checks.ts'
import { applyChargeFact, runChargeTurn } from './charges/charge-actor.ts'
import { createChargeLoops } from './charges/charge-loops.ts'
import { createTrustWatch } from './corroboration/trust-monitor.ts'
import { createEscrowEndLoops } from './escrow/escrow-end-loops.ts'
import { createEvidenceLoops } from './evidence/evidence-loops.ts'
import { createPayBySignature } from './pay-by-signature/create-pay-by-signature.ts'
import { createPayoutLoops } from './payouts/payout-loops.ts'
import { createReconciliationLoops } from './reconciliation/reconciliation-loops.ts'
import { createRefundLoops } from './refunds/refund-loops.ts'
import { createPayingAccountLoop } from './relayer/record-paying-accounts.ts'
import { createRequestDeletion } from './requests/delete-old-requests.ts'
import { createUnservedSignatureExpiry } from './requests/expire-unserved-signatures.ts'
import { createRequestListener } from './requests/request-listener.ts'
import { createWebhookLoops } from './webhooks/webhook-loops.ts'

type Deps = {
  readonly sql: Sql
  readonly config: IndexerConfig
  readonly log: Logger
  readonly registry: Metrics
  /** All rooms, and the Ponder processes, share each node's budget. */
  readonly pacers: NodePacers
  readonly ponderMetrics: PonderMetrics
}

/** Poll interval of the loop that numbers events, if nothing wakes the loop. */
const SEQUENCE_MS = 1_000

/**
 * Creates the loops and feeds of the daemon, and connects those that wake each other.
 *
 * @returns the parts in the order of their start. They stop in reverse order, so that the feeds stop before the loops
 * that process the feeds' rows.
 */
export function createDaemon(deps: Deps): readonly LifecyclePart[] {
  // An operator may let a single node of a chain decide for a limited time. `getTrusted` returns that node.
  const trust = createTrustWatch(deps)
  // The loops of a sleeping network run less often.
  const sleepWatch = createSleepWatch(deps)
  const deployments = deps.config.deployments.map((deployment) => ({
    ...fitToLimits(deps.log, deployment, deps.config.nodeBudgetShare),
    getTrusted: () => trust.getTrusted(deployment.chainId),
    pacerOf: deps.pacers.pacerOf,
    sleep: sleepWatch.sleepOf(deployment.chainId),
  }))
  const config = { ...deps.config, deployments }
  const { sql, log, registry } = deps
  const shared = { ...deps, config, deployments, clock: systemClock }

  // The loop that numbers events also notifies the streams.
  const sequencer = createLoop({
    name: 'sequencer',
    intervalMs: SEQUENCE_MS,
    turn: async () => {
      if (!(await hasUnnumberedEvents(sql))) return 'idle'
      const numbered = await inTransaction(sql, sequenceEvents)
      if (numbered > 0) webhooks?.wake()
      return numbered > 0 ? 'more' : 'idle'
    },
    log,
  })

  const charges = createChargeLoops({ ...shared, onEvents: sequencer.wake })
  const { actor } = charges

  // A row counts only if a quorum of operators shows it. The feeds wake the charges and the corroboration, which wakes
  // the charges again.
  const reconciliation = createReconciliationLoops({ ...shared, onNews: charges.wake })
  const feeds = createChainFeeds({
    ...shared,
    onNews: () => {
      charges.wake()
      reconciliation.corroborate()
    },
  })

  // After a releaser's on-chain transfer, the balances of the Safe are compared with our rows before the escrow ends.
  const escrowEnds = createEscrowEndLoops({ ...shared, onNews: charges.wake })

  // Stores proofs of the receipts of counted transactions soon, because nodes may delete old receipts.
  const evidence = createEvidenceLoops(shared)

  // A requested check searches for payments of one charge immediately, even while the feeds are down.
  const checks = createChargeChecks({
    ...{ sql, deployments, now: systemClock, log },
    takeTurn: (chargeId) => runChargeTurn(actor, chargeId),
  })

  // Our relayer sends the payouts that no keeper sends.
  const payouts = createPayoutLoops({
    ...shared,
    reportPayoutFailed: (db, chargeId) =>
      applyChargeFact(actor, db, { chargeId, fact: { type: 'payouts.failed' } }),
  })

  // Merchants pay refunds from their own wallets; the daemon recognizes the transfers.
  const refunds = createRefundLoops({
    ...{ ...actor, registry, deployments },
    onlyToPayers: config.onlyRefundsToPayers,
  })

  // A separate account executes the authorizations that payers signed.
  const authorizations = createPayBySignature(shared)

  // No webhook is sent without the key that decrypts the endpoints' secrets.
  const webhooks =
    config.webhooks.sealPrivateKeys.length === 0
      ? null
      : createWebhookLoops({ ...shared, onEvents: sequencer.wake })

  const requests = createRequestListener(sql, {
    check: checks.wake,
    sandbox_trigger: charges.wakeSandbox,
    escrow_order: charges.wakeSandboxOrders,
    authorization: authorizations.wake,
    refund: refunds.wake,
  })
  return [
    sleepWatch.part,
    ...[
      trust.loop,
      sequencer,
      ...charges.loops,
      createRequestDeletion(shared),
      createUnservedSignatureExpiry(shared),
      ...reconciliation.loops,
      ...escrowEnds,
      ...evidence.loops,
      ...payouts,
      ...authorizations.loops,
      ...refunds.loops,
    ].map(asPart),
    { name: 'proofs', start: () => undefined, stop: evidence.stop },
    ...(webhooks === null ? [] : [webhooks]),
    checks,
    requests,
    ...feeds,
    // Starts after the feeds, because they insert the rows of the chains, which this loop needs.
    asPart(createPayingAccountLoop(shared)),
  ]
}

function asPart({ start, stop }: Pick<Loop, 'start' | 'stop'>): LifecyclePart {
  return { name: 'loop', start, stop }
}
