import { applySnapshot } from '../../indexer/chain-feed/apply-snapshot.ts'
import { reportDeadLetterLogs } from '../../indexer/chain-feed/dead-letter-logs.ts'
import { createFeedMaintenance } from '../../indexer/chain-feed/feed-maintenance.ts'
import type { FeedMetrics } from '../../indexer/chain-feed/feed-metrics.ts'
import { followSleep } from '../../indexer/chain-feed/follow-sleep.ts'
import { findGenerations } from '../../indexer/chain-feed/generation.ts'
import { repairFeed } from '../../indexer/chain-feed/repair-feed.ts'
import { createWakingWatch } from '../../indexer/chain-feed/waking-watch.ts'
import { buildWatchedDeployment, listEmitters } from '../../indexer/chain-feed/watched-deployment.ts'
import { createChainNodes } from '../../shared/chain/nodes/chain-nodes.ts'
import { createChainClient } from '../../shared/chain/nodes/client.ts'
import { findRepairOrder } from '../../shared/db/chain-facts/daemon/feed-repairs.ts'
import { type Feed, listFeeds } from '../../shared/db/chain-facts/daemon/feeds.ts'
import { hasCheckpoint, installTriggers } from '../../shared/db/chain-facts/daemon/ponder-tables.ts'
import { readSleepState } from '../../shared/db/chain-facts/daemon/sleeping.ts'
import type { Sql } from '../../shared/db/connect.ts'
import { createChainLoop } from '../../shared/runtime/chain-loop.ts'
import type { Clock } from '../../shared/runtime/clock.ts'
import type { IndexerDeployment } from '../../shared/runtime/indexer-config.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import type { Loop } from '../../shared/runtime/poll-loop.ts'

/** The Ponder of one chain, which all daemons share, and the lock that makes one daemon its owner. */
export type FeedPort = {
  /** Acquires the lock if no living daemon holds it, and returns whether this daemon holds it. */
  readonly hold: () => boolean
  /** Starts Ponder for a generation, unless it runs. */
  readonly run: (feed: Feed) => Promise<void>
  readonly stop: () => void
  /** Stops Ponder before the repair of the feed. */
  readonly stopForRepair: () => Promise<void>
  /** Restarts Ponder, with its nodes in this order. */
  readonly restart: (rpcUrls: readonly string[]) => Promise<void>
}

type FeedTerms = {
  readonly sql: Sql
  readonly deployment: IndexerDeployment
  readonly now: Clock
  readonly log: Logger
  readonly metrics: FeedMetrics
  readonly onNews: () => void
  readonly silentMs: number
  readonly sleepAfterSeconds: number
  readonly port: FeedPort
}

const FEED_LOOP = { intervalMs: 1_000, maxBackoffMs: 5_000, asleepMs: 10_000 }
const CARE_MS = 3_000
const CARE_ASLEEP_MS = 12_000

/**
 * Creates the loops of `createChainFeed` with one Ponder for all daemons. All daemons apply Ponder's rows, the hardest
 * case. Only the owner repairs the feed, lets the network sleep and wakes it. No daemon receives a database
 * notification, as if every notification were lost.
 */
export function createFeed(terms: FeedTerms): readonly Loop[] {
  const { sql, log, deployment, port, onNews } = terms
  const { chainId, confirmations } = deployment
  const client = createChainClient(deployment)
  const chain = createChainNodes(deployment, { priority: 'confirmation' })
  const care = createFeedMaintenance({
    ...{ ...terms, onSleepChange: () => loop.wake() },
    restartPonder: port.restart,
  })
  let headNumber = -1
  const waking = createWakingWatch({
    ...{ ...terms, client },
    isLevel: (head) => headNumber >= head,
  })
  const triggered = new Set<string>()

  async function turn(): Promise<'idle'> {
    const isOwner = port.hold()
    if (!(await follow(isOwner))) return 'idle'
    const feed = await findFeed(isOwner)
    if (feed === undefined) return 'idle'
    if (isOwner) await port.run(feed)
    await apply(feed.ponderSchema)
    return 'idle'
  }

  /** Finds the generation in use. After a repair there is none, until the owner of the deployment inserts one. */
  async function findFeed(isOwner: boolean): Promise<Feed | undefined> {
    const [feed] = await listFeeds(sql, chainId)
    if (feed !== undefined || !isOwner) return feed
    const { network, environment, startBlock } = deployment
    const settings = { chainId, network, environment, emitters: listEmitters(deployment) }
    const firstBlock = async () => startBlock ?? Number(await client.getBlockNumber())
    const { current } = await findGenerations(sql, settings, firstBlock)
    care.begin()
    return current
  }

  /**
   * Executes a pending repair order. Returns whether the network is awake. Only the owner of the deployment repairs the
   * feed and wakes the network.
   */
  async function follow(isOwner: boolean): Promise<boolean> {
    const state = await readSleepState(sql, chainId)
    if (!isOwner) return !state.isAsleep
    const order = state.hasRepairOrder ? await findRepairOrder(sql, chainId) : null
    if (order !== null) {
      await repairFeed({ sql, deployment, log, client, chain, stopPonder: port.stopForRepair }, order)
      return true
    }
    return followSleep(state, { sql, deployment, log, watch: waking.begin, rest })
  }

  /** Stops Ponder while the network sleeps. Publishes no pair, because every pair of the world is already published. */
  async function rest(): Promise<void> {
    port.stop()
    headNumber = -1
    if (care.areDecimalsOurs()) care.notePublished()
  }

  async function apply(ponderSchema: string): Promise<void> {
    if (!(await hasHeads(ponderSchema))) return
    const source = { ...buildWatchedDeployment(deployment), confirmations, ponderSchema }
    const applied = await applySnapshot(sql, source)
    care.noteHead(applied?.headNumber ?? null)
    if (applied === null) return
    headNumber = applied.headNumber
    if (care.areDecimalsOurs()) care.notePublished()
    reportDeadLetterLogs(log, applied.setAside)
    if (applied.hasNews) onNews()
  }

  async function hasHeads(ponderSchema: string): Promise<boolean> {
    if (triggered.has(ponderSchema)) return true
    if (!(await hasCheckpoint(sql, ponderSchema))) return false
    await installTriggers(sql, ponderSchema)
    triggered.add(ponderSchema)
    return true
  }

  const loop = createChainLoop(deployment, { name: 'chain feed', ...FEED_LOOP, turn, log })
  const careLoop = createChainLoop(deployment, {
    ...{ name: 'feed care', intervalMs: CARE_MS, asleepMs: CARE_ASLEEP_MS },
    turn: async () => (port.hold() ? care.turn() : 'idle'),
    log,
  })
  return [loop, careLoop]
}
