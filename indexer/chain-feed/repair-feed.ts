import type { ChainNodes } from '../../shared/chain/nodes/chain-nodes.ts'
import type { ChainClient } from '../../shared/chain/nodes/client.ts'
import { queryHeadNumber } from '../../shared/chain/nodes/query-head.ts'
import {
  deleteRepairOrder,
  findFeedPosition,
  findVerifiedStartBlock,
  resetFeed as mendFeedRows,
  type RepairOrder,
} from '../../shared/db/chain-facts/daemon/feed-repairs.ts'
import { deletePonderCache } from '../../shared/db/chain-facts/daemon/ponder-maintenance.ts'
import type { Sql } from '../../shared/db/connect.ts'
import { inTransaction } from '../../shared/db/transaction.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import type { DeploymentConfig } from '../../shared/runtime/networks-config.ts'

type Deps = {
  readonly sql: Sql
  readonly deployment: Pick<DeploymentConfig, 'chainId' | 'startBlock'>
  readonly client: ChainClient
  readonly chain: ChainNodes
  readonly log: Logger
  /** Stops the deployment's Ponder processes. The feed then starts a new generation. */
  readonly stopPonder: () => Promise<void>
}

/** Margin, in seconds, because our clock and the chain's might differ by minutes. */
const CLOCK_MARGIN_S = 600

/**
 * Processes an operator's order to repair a feed. Deletes Ponder's cache of the chain, and lets the feed start over in
 * a new schema, at a block that the chain has.
 *
 * If the order names no block, the feed starts at the first of these blocks that is not above the chain's head: the
 * lowest first block of all earlier generations; the configured first block; the last block before the chain was first
 * watched, because no charge could accept the chain earlier. Only the owner of the deployment may call this.
 * Idempotent.
 *
 * @throws {NoQuorumError} if too few operators respond; the order then stays pending
 */
export async function repairFeed(deps: Deps, order: RepairOrder): Promise<void> {
  const { sql, deployment, log } = deps
  const { chainId } = deployment
  const headNumber = await queryHeadNumber(deps.chain)
  const fromBlock = order.fromBlock ?? (await findStart(deps, headNumber))
  if (fromBlock > headNumber) {
    const fields = { chain_id: chainId, from_block: fromBlock, node_head: headNumber }
    log.error({ msg: 'Rejected a feed repair: its chain does not have the start block', ...fields })
    await deleteRepairOrder(sql, { chainId, ...order })
    return
  }
  await deps.stopPonder()
  await inTransaction(sql, async (db) => {
    await mendFeedRows(db, { chainId, fromBlock, headNumber })
    await deleteRepairOrder(db, { chainId, ...order })
    await deletePonderCache(db, chainId)
  })
  log.warn({ msg: 'Repaired a feed: refetching the chain', chain_id: chainId, from_block: fromBlock })
}

async function findStart({ sql, deployment, client }: Deps, headNumber: number): Promise<number> {
  const { chainId, startBlock } = deployment
  const watchedFrom = await findVerifiedStartBlock(sql, { chainId, headNumber })
  if (watchedFrom !== null) return watchedFrom
  if (startBlock !== undefined && startBlock <= headNumber) return startBlock
  const { firstFeedAt } = await findFeedPosition(sql, chainId)
  if (firstFeedAt === null) return headNumber
  return findBlockBefore(client, { headNumber, seconds: firstFeedAt.getTime() / 1000 - CLOCK_MARGIN_S })
}

/**
 * Finds the last block with a timestamp before the given time. The binary search sends one request per bit of the head.
 */
async function findBlockBefore(
  client: ChainClient,
  { headNumber, seconds }: { readonly headNumber: number; readonly seconds: number },
): Promise<number> {
  let [before, after] = [0, headNumber + 1]
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    const { timestamp } = await client.getBlock({ blockNumber: BigInt(middle) })
    if (Number(timestamp) < seconds) before = middle
    else after = middle
  }
  return before
}
