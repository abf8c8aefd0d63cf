import { countQuarantinedCharges } from '../../shared/db/charges/daemon/quarantined-charges.ts'
import type { Sql } from '../../shared/db/connect.ts'
import { microToAtto } from '../../shared/domain/money.ts'
import { systemClock } from '../../shared/runtime/clock.ts'
import type { IndexerConfig } from '../../shared/runtime/indexer-config.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import type { Metrics } from '../../shared/runtime/metrics.ts'
import { createLoop, type Loop } from '../../shared/runtime/poll-loop.ts'
import { type ChargeActorDeps, runChargeTurns } from './charge-actor.ts'
import { createChargeMetrics } from './charge-metrics.ts'
import { createQuarantineRetry, QUARANTINE_RETRY_MS } from './resume-quarantined.ts'
import { processSimulatedOrder } from './simulated-order-worker.ts'
import { createStrikeLoop } from './strike-loop.ts'
import { processTrigger } from './trigger-worker.ts'
import { createTurnFailureTracker } from './turn-failure-tracker.ts'

type Deps = {
  readonly sql: Sql
  readonly config: IndexerConfig
  readonly log: Logger
  readonly registry: Metrics
  /** Called after a commit that appended events. */
  readonly onEvents: () => void
}

/** Poll interval for charges, because no notification reports that a deadline has passed. */
const POLL_MS = 1_000
/** Poll interval for requests: a request whose notification is lost waits at most this long. */
const REQUESTS_POLL_MS = 3_000

/**
 * Creates the loops that change charges: turns, release from quarantine, the sandbox, and operators' strikes.
 *
 * @returns the loops, the functions that wake three of them, and the actor for other rooms that change charges
 */
export function createChargeLoops(deps: Deps) {
  const { sql, log } = deps
  const actor = createActor(deps)
  const charges = createLoop({
    ...{ name: 'charges', intervalMs: POLL_MS, log },
    turn: () => runChargeTurns(actor),
  })

  const parked = createLoop({
    ...{ name: 'parked charges', intervalMs: QUARANTINE_RETRY_MS, log },
    turn: createQuarantineRetry({ sql, log, onNews: charges.wake }),
  })

  const common = { intervalMs: REQUESTS_POLL_MS, log }
  const sandbox = createLoop({ ...common, name: 'sandbox', turn: () => processTrigger(actor) })
  const orders = createLoop({ ...common, name: 'sandbox orders', turn: () => processSimulatedOrder(actor) })

  const strikes = deps.config.deployments.map((deployment) => createStrikeLoop(actor, deployment))
  const loops: readonly Loop[] = [charges, parked, sandbox, orders, ...strikes]
  return { actor, loops, wake: charges.wake, wakeSandbox: sandbox.wake, wakeSandboxOrders: orders.wake }
}

function createActor({ sql, config, log, registry, onEvents }: Deps) {
  const minimumPayouts = new Map(
    config.deployments.map(({ chainId, minimumPayoutMicro }) => [chainId, minimumPayoutMicro]),
  )
  return {
    ...{ sql, now: systemClock, log, onEvents, failedTurns: createTurnFailureTracker() },
    metrics: createChargeMetrics(registry, { countParked: () => countQuarantinedCharges(sql) }),
    expiry: { silentSeconds: config.silentNetworkMs / 1_000 },
    graceSeconds: config.payouts.graceSeconds,
    minimumPayoutOf: (chainId) => microToAtto(minimumPayouts.get(chainId) ?? config.payouts.minimumMicro),
    checkoutBaseUrl: config.checkoutBaseUrl,
    swapProvider: config.swapProvider,
  } satisfies ChargeActorDeps
}
