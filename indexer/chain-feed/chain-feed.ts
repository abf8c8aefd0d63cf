import { createChainNodes } from '../../shared/chain/nodes/chain-nodes.ts'
import { createChainClient } from '../../shared/chain/nodes/client.ts'
import { upsertDeployment } from '../../shared/db/chain-facts/daemon/deployments.ts'
import { findRepairOrder } from '../../shared/db/chain-facts/daemon/feed-repairs.ts'
import { createOwnerLock } from '../../shared/db/chain-facts/daemon/owner-lock.ts'
import { readSleepState } from '../../shared/db/chain-facts/daemon/sleeping.ts'
import { syncPairs } from '../../shared/db/organizations/daemon/pairs.ts'
import { getCareIntervalMs } from '../../shared/domain/node-need.ts'
import { createChainLoop } from '../../shared/runtime/chain-loop.ts'
import { ConfigError } from '../../shared/runtime/config-error.ts'
import type { TokenConfig } from '../../shared/runtime/networks-config.ts'
import { applySnapshot } from './apply-snapshot.ts'
import { reportDeadLetterLogs } from './dead-letter-logs.ts'
import { createFeedMaintenance, type FeedMaintenanceDeps } from './feed-maintenance.ts'
import type { FeedMetrics } from './feed-metrics.ts'
import { followSleep } from './follow-sleep.ts'
import { createPonderOwner, type PonderOwnerDeps } from './ponder-owner.ts'
import { repairFeed } from './repair-feed.ts'
import { requireUnchangedTokens } from './require-unchanged-tokens.ts'
import { createWakingWatch } from './waking-watch.ts'
import { buildWatchedDeployment, buildWatchedToken, listEmitters } from './watched-deployment.ts'

/** Dependencies of the feed of one deployment. */
export type ChainFeedDeps = Omit<PonderOwnerDeps, 'firstBlock' | 'onBlock'> &
  Omit<FeedMaintenanceDeps, 'restartPonder' | 'onSleepChange'> & {
    readonly databaseUrl: string
    readonly metrics: FeedMetrics
    /** Called after changed rows or a new head were committed. */
    readonly onNews: () => void
  }

/**
 * The feed polls every second in case a notification is lost. Ponder notifies within 2 ms of a block's commit. While
 * the network sleeps, the feed only renews its lock every 10 s, so another daemon takes over up to 10 s later.
 */
const FEED_LOOP = { intervalMs: 1_000, maxBackoffMs: 5_000, asleepMs: 10_000 }
/** Interval of the checks while the network sleeps. Most of these checks do nothing, see `sleep-check.ts`. */
const CARE_ASLEEP_MS = 12_000

/**
 * Creates the feed of one deployment. The feed runs its Ponder while it holds the deployment's lock, and updates our
 * ledger to match Ponder's tables. A daemon without the lock keeps trying to acquire it, so it takes over when the
 * owner dies.
 *
 * While nothing on the network must be watched, the network sleeps and no Ponder runs. The deployment's row records
 * this, so that every owner acts the same.
 */
export function createChainFeed(deps: ChainFeedDeps) {
  const { sql, deployment, log, metrics } = deps
  const { chainId, confirmations } = deployment
  const client = createChainClient(deployment)
  const chain = createChainNodes(deployment, { priority: 'confirmation' })
  const loop = createChainLoop(deployment, { name: 'chain feed', ...FEED_LOOP, turn, log })
  const ponder = createPonderOwner({
    ...deps,
    firstBlock: async () => deployment.startBlock ?? Number(await client.getBlockNumber()),
    onBlock: loop.wake,
  })
  const lock = createOwnerLock({ databaseUrl: deps.databaseUrl, chainId, onLost })
  const onSleepChange = () => {
    loop.wake()
    careLoop.wake()
  }
  const care = createFeedMaintenance({ ...deps, onSleepChange, restartPonder: ponder.restart })
  const waking = createWakingWatch({ ...deps, client, isLevel: (head) => headNumber >= head })
  const careLoop = createChainLoop(deployment, {
    name: 'feed care',
    intervalMs: getCareIntervalMs(deployment, deployment.budgetShare ?? 1),
    asleepMs: Math.min(CARE_ASLEEP_MS, deps.sleepAfterSeconds * 1_000),
    turn: async () => (isOwner ? care.turn() : 'idle'),
    log,
  })
  let isOwner = false
  let hasOffered = false
  let headNumber = -1

  return {
    name: `chain feed ${chainId}`,
    start: async () => {
      await upsertDeployment(sql, deployment)
      for (const each of [loop, careLoop]) each.start()
    },
    stop: async () => {
      await Promise.all([loop.stop(), careLoop.stop(), waking.stop()])
      await ponder.disown()
      await lock.release()
    },
  }

  /**
   * Kills Ponder when PostgreSQL does not respond. PostgreSQL will soon end the session that holds the lock, and
   * another daemon can then own the deployment. This daemon must stop writing before that.
   */
  function onLost(): void {
    log.error({ msg: 'Lost the owner lock: the database did not respond', chain_id: chainId })
    endOwnership()
    ponder.abandon()
  }

  /** Ends the owner's work, because another daemon might own the deployment now. */
  function endOwnership(): void {
    isOwner = false
    metrics.setOwner(chainId, false)
    waking.end()
  }

  async function turn(): Promise<'idle'> {
    const ownership = await lock.hold()
    if (ownership === 'refused') endOwnership()
    else metrics.setOwner(chainId, true)
    // The lock was lost, for example because PostgreSQL restarted. Ponder was unguarded since then, so it must restart.
    if (ownership !== 'held' && ponder.isOwner()) {
      log.warn({ msg: 'Lost the owner lock of a deployment', chain_id: chainId })
      await ponder.disown()
    }
    isOwner = ownership !== 'refused'
    if (!isOwner) return 'idle'
    if (!(await follow())) return 'idle'
    if (!ponder.isOwner()) {
      await leaveIfOutdated(ponder.own)
      care.begin()
      careLoop.wake()
    }
    await apply()
    if (await ponder.switchOver(headNumber)) hasOffered = false
    return 'idle'
  }

  /**
   * Executes a pending repair order. Without an order, stops the feed of a sleeping network, and wakes the network if
   * requested. Returns whether the feed must run.
   */
  async function follow(): Promise<boolean> {
    const state = await readSleepState(sql, chainId)
    const order = state.hasRepairOrder ? await findRepairOrder(sql, chainId) : null
    if (order !== null) await repairFeed({ ...deps, client, chain, stopPonder: ponder.disown }, order)
    if (order !== null) return true
    return followSleep(state, {
      ...{ sql, deployment, log, watch: waking.begin },
      rest: () => rest(state.isWakeRequested),
    })
  }

  /** Stops Ponder and publishes the pairs. Until a wake is requested, the lock guards no process and is not polled. */
  async function rest(isWakeRequested: boolean): Promise<void> {
    if (!hasOffered || isWakeRequested) await leaveIfOutdated(() => requireUnchangedTokens(sql, [deployment]))
    if (ponder.isOwner()) await ponder.disown()
    headNumber = -1
    await offer(listEmitters(deployment))
    if (!isWakeRequested) lock.relax()
  }

  /**
   * If `work` fails because this daemon's configuration lacks a watched token, releases the lock for a daemon that has
   * the token. The loop logs the error.
   */
  async function leaveIfOutdated(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (error instanceof ConfigError) {
        endOwnership()
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
    await offer(ponder.emitters())
    if (applied.hasNews) deps.onNews()
  }

  /**
   * Publishes the pairs once, after the decimals were read from the tokens' contracts and match, because the decimals
   * of a recorded pair can never be corrected.
   */
  async function offer(emitters: readonly string[]): Promise<void> {
    if (hasOffered || !care.areDecimalsOurs()) return
    await offerPairs(deps, emitters)
    hasOffered = true
    care.notePublished()
  }
}

/**
 * Publishes the watched pairs. Call it only after the feed has started, so that no pair is published before it is
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
