import { createChainClient } from '../../shared/chain/client.ts'
import { checkContracts } from '../../shared/chain/contracts-check.ts'
import type { Sql } from '../../shared/db/connect.ts'
import { setContractsMatch, upsertDeployment } from '../../shared/db/deployments.ts'
import { createOwnerLock } from '../../shared/db/owner-lock.ts'
import { syncPairs } from '../../shared/db/pairs.ts'
import type { Clock } from '../../shared/runtime/clock.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import type { DeploymentConfig, TokenConfig } from '../../shared/runtime/networks-config.ts'
import { createLoop } from '../../shared/runtime/poll-loop.ts'
import { applySnapshot } from './apply-snapshot.ts'
import type { FeedMetrics } from './feed-metrics.ts'
import { judgeMissing } from './judge-missing.ts'
import { noticeQuiet } from './notice-quiet.ts'
import { createPonderOwner } from './ponder-owner.ts'
import { watchedDeployment, watchedToken } from './watched-deployment.ts'

/** What the feed of one deployment works with. */
export type ChainFeedDeps = {
  readonly sql: Sql
  readonly databaseUrl: string
  readonly deployment: DeploymentConfig
  readonly maxHeapMb: number
  /** A chain whose last block is older than this has stopped. */
  readonly silentMs: number
  readonly now: Clock
  readonly log: Logger
  readonly metrics: FeedMetrics
  /** Called after facts or a head were committed. */
  readonly onNews: () => void
}

/** Ponder notifies within 2 ms of a block's commit; this poll covers a notification that was lost. */
const POLL_MS = 1_000
/** Missing rows, a silent chain and the contracts' code are looked at this often. */
const CARE_INTERVAL_MS = 3_000
/** Deployed code does not change; this finds a node that answers for another chain. */
const CONTRACTS_INTERVAL_MS = 600_000
/** A Ponder whose head stands still for so many block times, and at least so long, though its node's moves on. */
const STUCK_AFTER = { blocks: 20, atLeastMs: 60_000 }

/**
 * Makes the feed of one deployment: owns its Ponder while it holds the deployment's lock, and brings our ledger level
 * with what Ponder shows. A daemon without the lock only tries for it, and so takes over when the owner dies.
 */
export function createChainFeed(deps: ChainFeedDeps) {
  const { sql, deployment, log, metrics } = deps
  const { chainId, confirmations } = deployment
  const client = createChainClient(deployment)
  const nodes = deployment.rpcUrls.map((url) => createChainClient({ chainId, rpcUrls: [url] }))
  const lock = createOwnerLock({ databaseUrl: deps.databaseUrl, chainId })
  const loop = createLoop({
    name: `chain feed ${chainId}`,
    intervalMs: POLL_MS,
    turn,
    log,
    maxBackoffMs: 5_000,
  })
  const ponder = createPonderOwner({
    ...deps,
    firstBlock: async () => deployment.startBlock ?? Number(await client.getBlockNumber()),
    onBlock: loop.wake,
  })
  let hasOffered = false
  let caredAtMs = 0
  let contractsReadAtMs = Number.NEGATIVE_INFINITY
  let head = { number: -1, movedAtMs: 0 }

  return {
    name: `chain feed ${chainId}`,
    start: async () => {
      await upsertDeployment(sql, deployment)
      loop.start()
    },
    stop: async () => {
      await loop.stop()
      await ponder.disown()
      await lock.release()
    },
  }

  async function turn(): Promise<'idle'> {
    const ownership = await lock.hold()
    metrics.setOwner(chainId, ownership !== 'refused')
    // A lock that had to be taken again was lost with its session: PostgreSQL restarted, and Ponder must too.
    if (ownership !== 'held' && ponder.isOwner()) {
      log.warn({ msg: 'Lost the ownership of a deployment', chain_id: chainId })
      await ponder.disown()
    }
    if (ownership === 'refused') return 'idle'
    await ponder.own()
    await apply()
    if (await ponder.switchOver(head.number)) hasOffered = false
    await takeCare()
    return 'idle'
  }

  async function apply(): Promise<void> {
    const ponderSchema = await ponder.currentSchema()
    if (ponderSchema === null) return
    const source = { ...watchedDeployment(deployment), confirmations, ponderSchema }
    const applied = await applySnapshot(sql, source)
    if (applied === null) return
    if (applied.headNumber !== head.number)
      head = { number: applied.headNumber, movedAtMs: performance.now() }
    metrics.setHead(chainId, applied.headNumber)
    metrics.countMissing(chainId, applied.missing)
    if (!hasOffered) await offerPairs()
    if (applied.hasNews) deps.onNews()
  }

  /** Only now may charges accept these pairs: a pair is never offered that nobody watches. */
  async function offerPairs(): Promise<void> {
    const { network, environment, tokens } = deployment
    const watched = new Set(ponder.emitters())
    const isWatched = (token: TokenConfig) => watched.has(watchedToken(token).emitter)
    const pairs = tokens.filter(isWatched).map(({ token, address, decimals, enabled }) => ({
      ...{ chainId, network, environment, token, decimals, enabled },
      tokenAddress: address,
    }))
    await syncPairs(sql, chainId, pairs)
    hasOffered = true
  }

  async function takeCare(): Promise<void> {
    if (performance.now() - caredAtMs < CARE_INTERVAL_MS) return
    caredAtMs = performance.now()
    const countLostCredit = () => metrics.countLostCredit(chainId)
    const { tokens } = watchedDeployment(deployment)
    await judgeMissing({ sql, clients: nodes, chainId, confirmations, tokens, log, countLostCredit })
    await readContracts()
    await noticeQuiet({ db: sql, client, silentMs: deps.silentMs, now: deps.now }).catch(reportUnreachable)
    await restartStuck().catch(reportUnreachable)
  }

  /** A node that cannot be read leaves the word of the last one that could (decisions 2.3). */
  async function readContracts(): Promise<void> {
    if (performance.now() - contractsReadAtMs < CONTRACTS_INTERVAL_MS) return
    const check = await checkContracts(client)
    if (check === 'unreachable') return
    if (check !== 'match')
      log.error({ msg: 'The contracts of a network are not ours', chain_id: chainId, check })
    await setContractsMatch(sql, chainId, check === 'match')
    if (check === 'match') contractsReadAtMs = performance.now()
  }

  async function restartStuck(): Promise<void> {
    const stuckMs = Math.max(STUCK_AFTER.atLeastMs, STUCK_AFTER.blocks * deployment.blockTimeMs)
    if (head.number < 0 || performance.now() - head.movedAtMs < stuckMs) return
    if (Number(await client.getBlockNumber({ cacheTime: 0 })) <= head.number) return
    log.error({ msg: 'Restarted a Ponder that stands still', chain_id: chainId, head_number: head.number })
    head = { ...head, movedAtMs: performance.now() }
    await ponder.restart()
  }

  function reportUnreachable(error: unknown): void {
    log.warn({ msg: 'Could not ask a node', chain_id: chainId, error })
  }
}
