import {
  countOpenRefunds,
  countRefundsInPart,
  readSeenAges,
  readUnreadAges,
} from '../../shared/db/refunds/daemon/update-refund.ts'
import { countMissingRefunds } from '../../shared/db/refunds/daemon/verify-refund.ts'
import { AppError } from '../../shared/domain/errors.ts'
import { getPollIntervalMs } from '../../shared/domain/poll-interval.ts'
import { createChainLoop } from '../../shared/runtime/chain-loop.ts'
import { type Metrics, registerGauge, registerGaugeByChain } from '../../shared/runtime/metrics.ts'
import type { DeploymentConfig } from '../../shared/runtime/networks-config.ts'
import { createLoop, type Loop } from '../../shared/runtime/poll-loop.ts'
import { createCheckedChain } from '../corroboration/checked-chain.ts'
import type { DeclareDeps } from './declare-refund.ts'
import { expireRefunds } from './expire-refunds.ts'
import type { RefundRecorder } from './record-transfer.ts'
import { createRefundWatch } from './refund-watch.ts'
import { createRefundWorker } from './refund-worker.ts'

type Deps = RefundRecorder &
  Pick<DeclareDeps, 'minimumPayoutOf' | 'onlyToPayers'> & {
    readonly registry: Metrics
    readonly deployments: readonly DeploymentConfig[]
  }

/** Poll interval. If a request's notification is lost, the request waits at most this long. */
const POLL_MS = 3_000
/** Interval between searches for refunds whose deadline has passed. */
const EXPIRE_MS = 5_000
/** Interval between searches of a chain. If no refund of the chain must be found or verified, no node is queried. */
const SEARCH = { blocks: 4, leastMs: 2_000, mostMs: 15_000 }

/**
 * Creates the loops of refunds: one for requests, one for deadlines, and one per chain that finds the transfers.
 *
 * @returns the loops, and `wake`, which wakes the loop for requests
 */
export function createRefundLoops(deps: Deps): {
  readonly loops: readonly Pick<Loop, 'start' | 'stop'>[]
  readonly wake: () => void
} {
  const { log, sql } = deps
  registerGauge(deps.registry, 'refunds_open', {
    help: 'Refunds that wait for their transfer or its confirmation',
    ask: () => countOpenRefunds(sql),
  })
  registerGaugeByChain(deps.registry, 'refunds_unread_seconds', {
    help: 'Age of the oldest block that the second reading has not completed for an open refund, or of the oldest deadline that has not taken effect',
    ask: () => readUnreadAges(sql),
  })
  registerGaugeByChain(deps.registry, 'refunds_oldest_seen_seconds', {
    help: 'Time since a transfer of a refund was first seen, for the oldest that is not confirmed yet',
    ask: () => readSeenAges(sql),
  })
  registerGauge(deps.registry, 'refunds_missing', {
    help: 'Confirmed refunds whose transfer a quorum of nodes denies',
    ask: () => countMissingRefunds(sql),
  })
  registerGauge(deps.registry, 'refunds_counted_in_part', {
    help: 'Confirmed refunds that count only in part, because their charge had too little left to refund',
    ask: () => countRefundsInPart(sql),
  })
  const chains = deps.deployments.map((deployment) => createCheckedChain(deployment))
  const watches = new Map(
    chains.map((chain) => [chain.deployment.chainId, createRefundWatch({ ...deps, ...chain })]),
  )
  const check = async (
    chainId: number,
    ...args: Parameters<ReturnType<typeof createRefundWatch>['check']>
  ) => {
    const watch = watches.get(chainId)
    if (watch === undefined)
      throw new AppError('rpc_unavailable', `chain ${chainId} is not read at the moment`)
    await watch.check(...args)
  }
  const worker = createRefundWorker({ ...deps, chains, check, onFree: () => requests.wake() })
  const requests = createLoop({
    ...{ name: 'refund requests', intervalMs: POLL_MS, log },
    turn: worker.turn,
  })
  const stop = async () => {
    await requests.stop()
    await worker.settle()
  }
  const deadlines = createLoop({
    ...{ name: 'refund deadlines', intervalMs: EXPIRE_MS, log },
    turn: () => expireRefunds(deps),
  })
  const searches = deps.deployments.map((deployment) =>
    createChainLoop(deployment, {
      ...{ name: 'refunds', intervalMs: getPollIntervalMs(deployment.blockTimeMs, SEARCH), log },
      turn: async () => (await watches.get(deployment.chainId)?.turn()) ?? 'idle',
    }),
  )
  return { loops: [{ start: requests.start, stop }, deadlines, ...searches], wake: requests.wake }
}
