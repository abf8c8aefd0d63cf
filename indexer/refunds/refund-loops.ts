import {
  countOpenRefunds,
  countRefundsInPart,
  countUnscannedRefunds,
} from '../../shared/db/refunds/daemon/update-refund.ts'
import { AppError } from '../../shared/domain/errors.ts'
import { getPollIntervalMs } from '../../shared/domain/poll-interval.ts'
import { type Metrics, registerGauge } from '../../shared/runtime/metrics.ts'
import type { DeploymentConfig } from '../../shared/runtime/networks-config.ts'
import { createLoop, type Loop } from '../../shared/runtime/poll-loop.ts'
import { createCheckedChain } from '../corroboration/checked-chain.ts'
import type { DeclareDeps } from './declare-refund.ts'
import type { RefundRecorder } from './record-transfer.ts'
import { createRefundWatch } from './refund-watch.ts'
import { processRefundRequests } from './refund-worker.ts'

type Deps = RefundRecorder &
  Pick<DeclareDeps, 'minimumPayoutOf'> & {
    readonly registry: Metrics
    readonly deployments: readonly DeploymentConfig[]
  }

/** Poll interval for requests, if no notification wakes the loop. */
const POLL_MS = 1_000
/** A chain is searched every few blocks, and not at all while no refund waits for a transfer there. */
const SEARCH = { blocks: 4, leastMs: 2_000, mostMs: 15_000 }

/**
 * Creates the loops of refunds: one for merchants' requests, and one per chain that finds the transfers.
 *
 * @returns the loops, and `wake`, which wakes the one for requests
 */
export function createRefundLoops(deps: Deps): {
  readonly loops: readonly Loop[]
  readonly wake: () => void
} {
  const { log, sql } = deps
  registerGauge(deps.registry, 'refunds_open', {
    help: 'Refunds that wait for their transfer or its confirmation',
    ask: () => countOpenRefunds(sql),
  })
  registerGauge(deps.registry, 'refunds_unscanned', {
    help: 'Open refunds whose transfer may be in blocks that no quorum has listed or decided',
    ask: () => countUnscannedRefunds(sql),
  })
  registerGauge(deps.registry, 'refunds_counted_in_part', {
    help: 'Refunds that were paid although their charge had not enough left to refund',
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
  const requests = createLoop({
    ...{ name: 'refund requests', intervalMs: POLL_MS, log },
    turn: () => processRefundRequests({ ...deps, chains, check }),
  })
  const searches = chains.map(({ deployment: { chainId, blockTimeMs } }) =>
    createLoop({
      ...{ name: `refunds ${chainId}`, intervalMs: getPollIntervalMs(blockTimeMs, SEARCH), log },
      turn: async () => (await watches.get(chainId)?.turn()) ?? 'idle',
    }),
  )
  return { loops: [requests, ...searches], wake: requests.wake }
}
