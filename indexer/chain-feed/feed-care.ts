import { createChainClient } from '../../shared/chain/client.ts'
import { type ContractsCheck, checkContracts } from '../../shared/chain/contracts-check.ts'
import type { NodeVerdict } from '../../shared/chain/node-identity.ts'
import { markQuiet, setContractsMatch } from '../../shared/db/chain-facts/daemon/deployments.ts'
import { believeFactories } from '../../shared/db/charges/daemon/service-terms.ts'
import type { Db, Sql } from '../../shared/db/connect.ts'
import { splitFactoryOf } from '../../shared/domain/families/families.ts'
import type { Clock } from '../../shared/runtime/clock.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import type { DeploymentConfig } from '../../shared/runtime/networks-config.ts'
import { createChainNodes, type NodeHead, type NodeHeads, readNodeHeads } from '../transport/node-heads.ts'
import { createFeedBounds } from './feed-bounds.ts'
import type { FeedMetrics } from './feed-metrics.ts'
import { judgeMissing } from './judge-missing.ts'
import { findOtherDecimals, type OtherDecimals } from './other-decimals.ts'
import { createStuckWatch } from './stuck-watch.ts'
import { watchedDeployment } from './watched-deployment.ts'

type Deps = {
  readonly sql: Sql
  readonly deployment: DeploymentConfig
  /** A chain whose last block is older than this has stopped. */
  readonly silentMs: number
  readonly now: Clock
  readonly log: Logger
  readonly metrics: Pick<FeedMetrics, 'countLostCredit' | 'setAboveChain'>
  /** Told which chain each node serves, whenever that was read. */
  readonly onNodeVerdict?: ((verdict: NodeVerdict) => void) | undefined
  /** Starts the deployment's Ponder again, with its nodes in this order. */
  readonly restartPonder: (rpcUrls: readonly string[]) => Promise<void>
}

/** Deployed code does not change; this finds a node that lies about it. */
const CONTRACTS_INTERVAL_MS = 600_000

/**
 * Makes what looks after one deployment's feed, beside it, so that a node that hangs holds up no credit: it judges
 * missing rows, reads the contracts' code and the tokens' decimals, and notices a chain that stands still, a Ponder
 * that does, and a feed that is above its chain. It asks every node, so that one of another chain is told of though
 * nobody else would ask it.
 */
export function createFeedCare(deps: Deps) {
  const { sql, deployment, now, log } = deps
  const { chainId, confirmations, rpcUrls } = deployment
  const nodes = createChainNodes(deployment, deps.onNodeVerdict)
  const client = createChainClient(deployment)
  const bounds = createFeedBounds(deps)
  const stuckWatch = createStuckWatch({ ...deployment, now })
  let contracts: { readonly readAtMs: number } | null = null
  let areDecimalsOurs = false
  let isAnswered = true

  return {
    turn,
    begin: stuckWatch.begin,
    noteHead: stuckWatch.note,
    /** Whether the chain's tokens were asked since our start, and have the decimals that we were told. */
    areDecimalsOurs: () => areDecimalsOurs,
  }

  async function turn(): Promise<'idle'> {
    const countLostCredit = () => deps.metrics.countLostCredit(chainId)
    const watched = watchedDeployment(deployment)
    await judgeMissing({ sql, nodes, deployment: watched, confirmations, log, countLostCredit })
    const { heads, foreignUrls } = await readNodeHeads(nodes)
    const [highest] = heads
    noteAnswer(highest !== undefined)
    if (highest !== undefined) await bounds.judge(highest)
    await readContracts()
    if (highest !== undefined) await compareHeads(highest, { heads, foreignUrls })
    return 'idle'
  }

  /** What could not be read since our start is not known, whatever an earlier daemon read (decisions 2.3). */
  async function readContracts(): Promise<void> {
    if (bounds.isAbove()) {
      contracts = null // What was read before must be read again, once the feed is mended.
      await setContractsMatch(sql, chainId, false)
      return
    }
    const nowMs = now().getTime()
    if (contracts !== null && nowMs - contracts.readAtMs < CONTRACTS_INTERVAL_MS) return
    const check = await checkContracts(client, deployment)
    const others = await findOthers(check)
    if (others === null) {
      if (contracts === null) await setContractsMatch(sql, chainId, null)
      return
    }
    const isUnconfigured = check === 'unconfigured'
    if (check !== 'match' && !isUnconfigured)
      log.error({ msg: 'The contracts of a network are not ours', chain_id: chainId, check })
    for (const { token, address, decimals, onChain } of others)
      log.error({
        msg: 'A token of a network has other decimals than configured: its pairs are not offered',
        ...{ chain_id: chainId, token, token_address: address },
        ...{ configured_decimals: decimals, read_decimals: onChain },
      })
    areDecimalsOurs = check !== 'wrong_chain' && others.length === 0
    // First of all: a pair is never offered before charges may have its factory.
    if (check === 'match') await believeFactory()
    const isMatch = check === 'match' && others.length === 0
    await setContractsMatch(sql, chainId, isMatch)
    // Until they match, they are read again at every turn; of what nobody has configured nothing will change.
    contracts = { readAtMs: isMatch || isUnconfigured ? nowMs : 0 }
  }

  /** Its code was seen: where a factory is only configured, nothing else tells a mistyped one. */
  async function believeFactory(): Promise<void> {
    const factory = splitFactoryOf(deployment)
    if (factory !== null) await believeFactories(sql, [{ ...deployment, factory }])
  }

  /** Tokens of another chain say nothing of ours; `null` is no answer. */
  async function findOthers(check: ContractsCheck): Promise<readonly OtherDecimals[] | null> {
    if (check === 'unreachable') return null
    return check === 'wrong_chain' ? [] : findOtherDecimals(client, deployment.tokens)
  }

  /** A Ponder is guided by nodes that serve the chain; one that did not answer is asked last, and verified like all. */
  async function compareHeads(highest: NodeHead, { heads, foreignUrls }: NodeHeads): Promise<void> {
    await noticeQuiet(highest, { db: sql, chainId, silentMs: deps.silentMs, now })
    if (!stuckWatch.isStuck(highest)) return
    const order = [...heads.map(({ url }) => url), ...rpcUrls].filter(
      (url, at, all) => all.indexOf(url) === at && !foreignUrls.includes(url),
    )
    log.error({ msg: 'Restarted a Ponder that stands still', chain_id: chainId, node_head: highest.number })
    await deps.restartPonder(order)
  }

  /** One alert for an outage: while no node answers, charges of the network do not expire (decisions 3.4). */
  function noteAnswer(isAnsweredNow: boolean): void {
    if (isAnsweredNow !== isAnswered)
      log[isAnsweredNow ? 'info' : 'error']({
        msg: isAnsweredNow ? 'A node of the network answers again' : 'No node of a network answers',
        chain_id: chainId,
      })
    isAnswered = isAnsweredNow
  }
}

/**
 * Writes down that a chain itself has stopped: the highest head of the nodes that answer is the very one our feed has
 * applied, and that block is older than the bound. Only then may wall time expire a charge (decisions 3.4); our own lag
 * never does, nor that of one node behind another.
 */
async function noticeQuiet(
  highest: NodeHead,
  deps: { readonly db: Db; readonly chainId: number; readonly silentMs: number; readonly now: Clock },
): Promise<void> {
  if (deps.now().getTime() - highest.timestampMs < deps.silentMs) return
  await markQuiet(deps.db, { chainId: deps.chainId, headNumber: highest.number })
}
