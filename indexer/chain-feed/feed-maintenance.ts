import { type ContractsCheck, checkContracts } from '../../shared/chain/contracts/check-contracts.ts'
import { type ChainNodes, createChainNodes } from '../../shared/chain/nodes/chain-nodes.ts'
import { type ChainHeads, queryHeads } from '../../shared/chain/nodes/query-head.ts'
import type { ChainIdCheck } from '../../shared/chain/nodes/verify-chain-id.ts'
import {
  markChainIdle,
  recordQuorumResponse,
  setContractsMatch,
} from '../../shared/db/chain-facts/daemon/deployments.ts'
import { trustFactories } from '../../shared/db/charges/daemon/service-terms.ts'
import type { Db, Sql } from '../../shared/db/connect.ts'
import { getSplitFactory } from '../../shared/domain/chain-families/chain-families.ts'
import type { Clock } from '../../shared/runtime/clock.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import type { DeploymentConfig } from '../../shared/runtime/networks-config.ts'
import { type DecimalsMismatch, findDecimalsMismatches } from './decimals-mismatch.ts'
import type { FeedMetrics } from './feed-metrics.ts'
import { createFeedPositionCheck } from './feed-position-check.ts'
import { resolveMissing } from './resolve-missing.ts'
import { createSleepCheck } from './sleep-check.ts'
import { createStallDetector } from './stall-detector.ts'
import { buildWatchedDeployment } from './watched-deployment.ts'

/** Dependencies of the checks of one feed. */
export type FeedMaintenanceDeps = {
  readonly sql: Sql
  readonly deployment: DeploymentConfig
  /** Maximum age of the last block of a chain that is not stalled. */
  readonly silentMs: number
  readonly now: Clock
  readonly log: Logger
  readonly metrics: Pick<FeedMetrics, 'countLostCredit' | 'setAboveChain' | 'setOperatorsResponding'>
  /** Called with the chain id that a node reports, whenever it is read. */
  readonly onNodeVerdict?: ((verdict: ChainIdCheck) => void) | undefined
  /** Time without anything to watch after which the network sleeps. 0: it never sleeps. */
  readonly sleepAfterSeconds: number
  /** Called when the network has fallen asleep, or must wake. */
  readonly onSleepChange: () => void
  /** Restarts the deployment's Ponder with the nodes in this order. */
  readonly restartPonder: (rpcUrls: readonly string[]) => Promise<void>
}

/**
 * Interval between reads of the contracts. Deployed code does not change, but a repeated read can detect nodes that
 * lied about it.
 */
const CONTRACTS_INTERVAL_MS = 600_000
/** Interval while the network sleeps, when no charge depends on the contracts. */
const CONTRACTS_ASLEEP_INTERVAL_MS = 3_600_000

/**
 * Creates the checks of one deployment's feed. They run in a separate loop, so that a hanging node does not delay
 * credits. The loop checks missing rows, reads the contracts' code and the tokens' decimals, and detects a stalled
 * chain, a stalled Ponder and a feed above its chain. It queries every node, so that it detects each node of the wrong
 * chain. The loop also decides when the network falls asleep and wakes (`sleep-check.ts`).
 *
 * While the network sleeps, the checks run once a minute, and the contracts are read once an hour.
 */
export function createFeedMaintenance(deps: FeedMaintenanceDeps) {
  const { sql, deployment, now, log } = deps
  const { chainId, confirmations } = deployment
  const chain = createChainNodes(deployment, { onVerdict: deps.onNodeVerdict, priority: 'confirmation' })
  const bounds = createFeedPositionCheck(deps)
  const sleep = createSleepCheck(deps)
  const stuckWatch = createStallDetector({ ...deployment, now })
  let contracts: { readonly readAtMs: number } | null = null
  let isPublished = false
  let areDecimalsOurs = false
  let isQuorumThere = true
  /** The nodes in the order in which Ponder queries them. */
  let order = chain.nodes

  return {
    turn,
    /** Called after a start of Ponder, which then queries the nodes in the configured order. */
    begin: () => {
      order = chain.nodes
      stuckWatch.begin()
    },
    noteHead: stuckWatch.note,
    /** Records that the pairs were published, which is required before the network may sleep. */
    notePublished: () => {
      isPublished = true
    },
    /** Returns whether this process has read the tokens' decimals, and they match the configuration. */
    areDecimalsOurs: () => areDecimalsOurs,
  }

  async function turn(): Promise<'idle'> {
    const { isAsleep } = await sleep.readState()
    if (isAsleep && !sleep.isDue()) return 'idle'
    const countLostCredit = () => deps.metrics.countLostCredit(chainId)
    const watched = buildWatchedDeployment(deployment)
    await resolveMissing({ sql, chain, deployment: watched, confirmations, log, countLostCredit })
    const heads = await queryHeads(chain, deployment)
    deps.metrics.setOperatorsResponding(deployment, new Set(heads.heads.map(({ operator }) => operator)).size)
    noteQuorum(heads.height !== null)
    if (heads.height !== null) {
      await recordQuorumResponse(sql, chainId)
      await bounds.judge(heads.height)
    }
    await readContracts(isAsleep ? CONTRACTS_ASLEEP_INTERVAL_MS : CONTRACTS_INTERVAL_MS)
    if (heads.height !== null && !isAsleep) await compareHeads(heads.height, heads)
    await sleep.look(heads.height, isPublished && contracts !== null)
    return 'idle'
  }

  /**
   * Reads the contracts' code and the tokens' decimals, and records whether they match. The result is unknown until
   * this process has read them, even if an earlier daemon has read them (decisions 2.3).
   */
  async function readContracts(intervalMs: number): Promise<void> {
    if (bounds.isAbove()) {
      contracts = null // Causes a new read once the feed is repaired.
      await setContractsMatch(sql, chainId, false)
      return
    }
    const nowMs = now().getTime()
    if (contracts !== null && nowMs - contracts.readAtMs < intervalMs) return
    const check = await checkContracts(chain, deployment)
    const others = await findOthers(check)
    if (others === null) {
      if (contracts === null) await setContractsMatch(sql, chainId, null)
      return
    }
    const isUnconfigured = check === 'unconfigured'
    if (check !== 'match' && !isUnconfigured)
      log.error({ msg: 'Contract code on a network does not match', chain_id: chainId, check })
    for (const { token, address, decimals, onChain } of others)
      log.error({
        msg: 'Token decimals do not match the configuration; pairs are disabled',
        ...{ chain_id: chainId, token, token_address: address },
        ...{ configured_decimals: decimals, read_decimals: onChain },
      })
    areDecimalsOurs = check !== 'wrong_chain' && others.length === 0
    // Before `setContractsMatch`, because a network's factory must be trusted before its pairs are published.
    if (check === 'match') await believeFactory()
    const isMatch = check === 'match' && others.length === 0
    await setContractsMatch(sql, chainId, isMatch)
    // Read mismatching contracts again every turn, except without a configured factory.
    contracts = { readAtMs: isMatch || isUnconfigured ? nowMs : 0 }
  }

  /**
   * Records the factory as trusted. Call it only after the factory's code was read and matches, because no other check
   * detects a mistyped address in the configuration.
   */
  async function believeFactory(): Promise<void> {
    const factory = getSplitFactory(deployment)
    if (factory !== null) await trustFactories(sql, [{ ...deployment, factory }])
  }

  /**
   * Returns the tokens whose decimals differ from the configuration. Returns an empty list for nodes of the wrong
   * chain, whose tokens are irrelevant, and `null` if the contracts or decimals could not be read.
   */
  async function findOthers(check: ContractsCheck): Promise<readonly DecimalsMismatch[] | null> {
    if (check === 'unreachable') return null
    return check === 'wrong_chain' ? [] : findDecimalsMismatches(chain, deployment.tokens)
  }

  /**
   * Records a stalled chain, and restarts a stalled Ponder. The restarted Ponder first queries the nodes at the
   * quorum's head, then the lagging nodes, and never nodes of the wrong chain. The node that Ponder queried first until
   * now becomes the last of its group, because it might only claim to be at the head.
   */
  async function compareHeads(height: number, heads: ChainHeads): Promise<void> {
    await noticeQuiet(heads, { db: sql, chain, silentMs: deps.silentMs, now })
    if (!stuckWatch.isStuck(height)) return
    const isAtHead = (name: string) =>
      heads.heads.some(({ node, number }) => node === name && number >= height)
    const [first, ...others] = order
    const last = first === undefined ? others : [...others, first]
    const usable = last.filter(({ name }) => !heads.wrongChain.includes(name))
    order = [
      ...usable.filter(({ name }) => isAtHead(name)),
      ...usable.filter(({ name }) => !isAtHead(name)),
      ...last.filter(({ name }) => heads.wrongChain.includes(name)),
    ]
    log.error({ msg: 'Restarted a stalled Ponder', chain_id: chainId, node_head: height })
    await deps.restartPonder(order.slice(0, usable.length).map(({ url }) => url))
  }

  /**
   * Logs the start and end of an outage. While no quorum responds, no payment counts and no charge expires (decisions
   * 3.4, 9.1).
   */
  function noteQuorum(isThereNow: boolean): void {
    if (isThereNow !== isQuorumThere)
      log[isThereNow ? 'info' : 'error']({
        msg: isThereNow
          ? 'Enough nodes of a network respond again'
          : 'Fewer nodes of a network respond than its quorum',
        ...{ chain_id: chainId, quorum: chain.quorum },
      })
    isQuorumThere = isThereNow
  }
}

/**
 * Records that the chain itself is stalled, if the head of EVERY configured node is the block that our feed applied
 * last, and this block is at least `silentMs` old. Only then may a charge expire by wall time (decisions 3.4). A charge
 * must not expire because our feed lags or a node is silent.
 */
async function noticeQuiet(
  { heads, silent, wrongChain }: ChainHeads,
  deps: { readonly db: Db; readonly chain: ChainNodes; readonly silentMs: number; readonly now: Clock },
): Promise<void> {
  const { chainId, nodes } = deps.chain
  const [first] = heads
  if (first === undefined || silent.length + wrongChain.length > 0 || heads.length < nodes.length) return
  const isOld = ({ timestampMs }: { timestampMs: number }) =>
    deps.now().getTime() - timestampMs >= deps.silentMs
  if (!heads.every((head) => head.number === first.number && isOld(head))) return
  await markChainIdle(deps.db, { chainId, headNumber: first.number })
}
