import { createChainNodes } from '../../shared/chain/nodes/chain-nodes.ts'
import { createRestrictionReader } from '../../shared/chain/tokens/restrictions.ts'
import { microToAtto } from '../../shared/domain/money.ts'
import { stretchForLimits } from '../../shared/domain/node-need.ts'
import { getPollIntervalMs } from '../../shared/domain/poll-interval.ts'
import { createChainLoop } from '../../shared/runtime/chain-loop.ts'
import type { Loop } from '../../shared/runtime/poll-loop.ts'
import type { BackgroundTask, ChainPayoutDeps } from './chain-payer.ts'
import { PAYERS_BY_FAMILY } from './payers-by-family.ts'
import { createPayoutWorker } from './payout-actor.ts'
import { createReleaseWorker, type ReleaseWorkerDeps } from './release-held.ts'

/**
 * Poll interval for the status of signed transactions. A poll sends two requests per transaction. The first broadcast
 * of a transaction does not wait for a poll.
 */
const TRACKING = { blocks: 0.5, leastMs: 1_000, mostMs: 6_000 }
/** Maximum share of a node's request limit that polling the transactions may use. */
const TRACKING_PART = 0.15
/** Poll interval for due payouts. A payout waits at least for its grace period, so one second is short enough. */
const INTERVAL_MS = 1_000
/** Poll interval for held shares. A held share waits for the token's issuer, which takes days. */
const RELEASES_INTERVAL_MS = 10_000
/** Lease of an attempt. Even with an unresponsive node, an attempt ends well before its lease. */
const LEASE_SECONDS = 60
const BATCH = 8

/**
 * Creates the loops of one chain: the payout worker, the release worker, the relayer that sends their transactions, and
 * the chain family's other jobs.
 */
export function createChainPayoutLoops(deps: ChainPayoutDeps): readonly Loop[] {
  const { deployment, log } = deps
  const nodes = createChainNodes(deployment)
  const { relayer, duties } = PAYERS_BY_FAMILY[deployment.family]({ ...deps, nodes })
  const readIssuer = createRestrictionReader(nodes)
  const readRestriction: ReleaseWorkerDeps['readRestriction'] = async (tokenAddress, query) => {
    const token = deployment.tokens.find(({ address }) => address === tokenAddress)
    return token ? readIssuer({ ...query, token }) : 'unknown'
  }
  const terms = {
    leaseSeconds: LEASE_SECONDS,
    minimumAtto: microToAtto(deployment.minimumPayoutMicro),
    batchSize: BATCH,
  }
  const shared = { ...deps, nodes, relayer }
  const worker = createPayoutWorker({
    ...shared,
    readSending: (tokenAddress, account) => readRestriction(tokenAddress, { account, direction: 'send' }),
    terms: { ...deps.payouts, ...terms },
  })
  const releases = createReleaseWorker({ ...shared, readRestriction, terms })
  const all: readonly BackgroundTask[] = [
    { name: 'payouts', turn: worker.turn, intervalMs: INTERVAL_MS },
    { name: 'relayer', turn: relayer.turn, intervalMs: getTrackingMs(deployment) },
    { name: 'releases', turn: releases.turn, intervalMs: RELEASES_INTERVAL_MS },
    ...duties,
  ]
  return all.map((task) => createChainLoop(deployment, { ...task, log }))
}

function getTrackingMs({
  blockTimeMs,
  nodes,
  budgetShare: share = 1,
}: ChainPayoutDeps['deployment']): number {
  return stretchForLimits(getPollIntervalMs(blockTimeMs, TRACKING), { nodes, share, part: TRACKING_PART })
}
