import { createChainNodes } from '../../shared/chain/nodes/chain-nodes.ts'
import { createChainClient } from '../../shared/chain/nodes/client.ts'
import { upsertDeployment } from '../../shared/db/chain-facts/daemon/deployments.ts'
import { findRepairOrder } from '../../shared/db/chain-facts/daemon/feed-repairs.ts'
import { createOwnerLock } from '../../shared/db/chain-facts/daemon/owner-lock.ts'
import { syncPairs } from '../../shared/db/organizations/daemon/pairs.ts'
import { getCareIntervalMs } from '../../shared/domain/node-need.ts'
import { ConfigError } from '../../shared/runtime/config-error.ts'
import type { TokenConfig } from '../../shared/runtime/networks-config.ts'
import { createLoop } from '../../shared/runtime/poll-loop.ts'
import { applySnapshot } from './apply-snapshot.ts'
import { reportDeadLetterLogs } from './dead-letter-logs.ts'
import { createFeedMaintenance, type FeedMaintenanceDeps } from './feed-maintenance.ts'
import type { FeedMetrics } from './feed-metrics.ts'
import { createPonderOwner, type PonderOwnerDeps } from './ponder-owner.ts'
import { repairFeed } from './repair-feed.ts'
import { buildWatchedDeployment, buildWatchedToken } from './watched-deployment.ts'

/** Dependencies of the feed of one deployment. */
export type ChainFeedDeps = Omit<PonderOwnerDeps, 'firstBlock' | 'onBlock'> &
  Omit<FeedMaintenanceDeps, 'restartPonder'> & {
    readonly databaseUrl: string
    readonly metrics: FeedMetrics
    /** Called after rows or a head were committed. */
    readonly onNews: () => void
  }

/** Poll interval, in case a notification is lost. Ponder notifies within 2 ms of a block's commit. */
const FEED_LOOP = { intervalMs: 1_000, maxBackoffMs: 5_000 }

/**
 * Creates the feed of one deployment. The feed runs its Ponder while it holds the deployment's lock, and updates our
 * ledger to match Ponder's tables. A daemon without the lock keeps trying to acquire it, so it takes over when the
 * owner dies.
 */
export function createChainFeed(deps: ChainFeedDeps) {
  const { sql, deployment, log, metrics } = deps
  const { chainId, confirmations } = deployment
  const client = createChainClient(deployment)
  const chain = createChainNodes(deployment, { priority: 'confirmation' })
  const loop = createLoop({ name: `chain feed ${chainId}`, ...FEED_LOOP, turn, log })
  const ponder = createPonderOwner({
    ...deps,
    firstBlock: async () => deployment.startBlock ?? Number(await client.getBlockNumber()),
    onBlock: loop.wake,
  })
  const lock = createOwnerLock({ databaseUrl: deps.databaseUrl, chainId, onLost })
  const care = createFeedMaintenance({ ...deps, restartPonder: ponder.restart })
  const careLoop = createLoop({
    name: `feed care ${chainId}`,
    intervalMs: getCareIntervalMs(deployment, deployment.budgetShare ?? 1),
    turn: async () => (ponder.isOwner() ? care.turn() : 'idle'),
    log,
  })
  let hasOffered = false
  let headNumber = -1

  return {
    name: `chain feed ${chainId}`,
    start: async () => {
      await upsertDeployment(sql, deployment)
      for (const each of [loop, careLoop]) each.start()
    },
    stop: async () => {
      await Promise.all([loop.stop(), careLoop.stop()])
      await ponder.disown()
      await lock.release()
    },
  }

  /**
   * Kills Ponder, because PostgreSQL does not respond. Within a few seconds PostgreSQL will let another daemon own the
   * deployment, and this daemon must have stopped writing before that.
   */
  function onLost(): void {
    log.error({ msg: 'Lost the owner lock: the database did not respond', chain_id: chainId })
    metrics.setOwner(chainId, false)
    ponder.abandon()
  }

  async function turn(): Promise<'idle'> {
    const ownership = await lock.hold()
    metrics.setOwner(chainId, ownership !== 'refused')
    // If the lock had to be acquired again, PostgreSQL has restarted and ended the session that held it, so Ponder must
    // restart too.
    if (ownership !== 'held' && ponder.isOwner()) {
      log.warn({ msg: 'Lost the owner lock of a deployment', chain_id: chainId })
      await ponder.disown()
    }
    if (ownership === 'refused') return 'idle'
    const order = await findRepairOrder(sql, chainId)
    if (order !== null) await repairFeed({ ...deps, client, chain, stopPonder: ponder.disown }, order)
    if (!ponder.isOwner()) {
      await own()
      care.begin()
      careLoop.wake()
    }
    await apply()
    if (await ponder.switchOver(headNumber)) hasOffered = false
    return 'idle'
  }

  /**
   * Starts Ponder. If this daemon's configuration lacks a watched token, it does not start Ponder, and leaves the
   * deployment to a daemon that knows all tokens. The loop logs the reason.
   */
  async function own(): Promise<void> {
    try {
      await ponder.own()
    } catch (error) {
      if (error instanceof ConfigError) {
        metrics.setOwner(chainId, false)
        await lock.leave()
      }
      throw error
    }
  }

  async function apply(): Promise<void> {
    const ponderSchema = await ponder.currentSchema()
    if (ponderSchema === null) return
    const source = { ...buildWatchedDeployment(deployment), confirmations, ponderSchema }
    const applied = await applySnapshot(sql, source)
    care.noteHead(applied?.headNumber ?? null)
    if (applied === null) return
    headNumber = applied.headNumber
    reportDeadLetterLogs(log, applied.setAside)
    metrics.setHead(chainId, applied.headNumber)
    metrics.countMissing(chainId, applied.missing)
    // The decimals of a recorded pair can never be corrected, so wrong decimals must not be recorded.
    if (!hasOffered && care.areDecimalsOurs()) {
      await offerPairs(deps, ponder.emitters())
      hasOffered = true
    }
    if (applied.hasNews) deps.onNews()
  }
}

/**
 * Publishes the watched pairs. It must run after the feed has started, so that no pair is published before it is
 * watched.
 */
async function offerPairs({ sql, deployment }: ChainFeedDeps, emitters: readonly string[]): Promise<void> {
  const { chainId, network, environment, tokens } = deployment
  const watched = new Set(emitters)
  const isWatched = (token: TokenConfig) => watched.has(buildWatchedToken(token).emitter)
  const pairs = tokens.filter(isWatched).map(({ token, address, decimals, enabled }) => ({
    ...{ chainId, network, environment, token, decimals, enabled },
    tokenAddress: address,
  }))
  await syncPairs(sql, chainId, pairs)
}
