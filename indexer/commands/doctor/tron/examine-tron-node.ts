import type { ChainClient } from '../../../../shared/chain/nodes/client.ts'
import { readSolidifiedHead, readTronHead } from '../../../../shared/chain/tron/read-tron.ts'
import type { TronNode } from '../../../../shared/chain/tron/tron-node.ts'
import type { DeploymentConfig } from '../../../../shared/runtime/networks-config.ts'
import { examineAddresses } from '../examine-batch-limits.ts'
import { examineRange } from '../examine-evm-node.ts'
import { describeError, type Problem } from '../finding.ts'
import { createFirstTronNode } from './first-tron-node.ts'

/** Blocks per log request of the feed, which is the maximum that TRON nodes accept. */
const LOGS_RANGE = 5_000
/** Blocks by which the heads of `/jsonrpc` and `/wallet` may differ, because they are read at different times. */
const APART_BLOCKS = 10
/**
 * Maximum blocks from a node's solidified block to its head. A block is solidified when 19 of 27 producers have built
 * on it, which takes 18 blocks, or more if many producers are silent.
 */
const SOLID_LAG_BLOCKS = 60

/**
 * Checks a TRON node's `/jsonrpc`, which the feed reads, and its `/wallet` and `/walletsolidity`, which payouts and
 * reconciliation use. All three must exist and have the same blocks. Returns the problems, and `null` for each check
 * that passed.
 */
export async function examineTronNode(
  client: ChainClient,
  deployment: DeploymentConfig,
  head: number,
): Promise<readonly (Problem | null)[]> {
  return Promise.all([
    examineRange(client, { head, blocks: LOGS_RANGE }),
    examineAddresses(client, deployment, head),
    examineApis(client, head),
  ])
}

async function examineApis(client: ChainClient, head: number): Promise<Problem | null> {
  const node = createFirstTronNode(client)
  const heads = await Promise.all([readTronHead(node), readSolidifiedHead(node)]).catch(describeError)
  if (typeof heads === 'string')
    return {
      found: `returns no usable response at /wallet or /walletsolidity: ${heads}`,
      remedy:
        'enable both (node.http.fullNodeEnable, node.http.solidityEnable), or use another node in rpcUrls',
    }
  const [latest, solid] = heads
  if (Math.abs(latest.number - head) > APART_BLOCKS)
    return {
      found: `is at block ${head} at /jsonrpc and at ${latest.number} at /wallet`,
      remedy: 'wait until both have caught up, or use another node in rpcUrls',
    }
  if (latest.number - solid.number > SOLID_LAG_BLOCKS)
    return {
      found: `its solidified block is ${latest.number - solid.number} blocks behind its head, above the limit of ${SOLID_LAG_BLOCKS}`,
      remedy:
        'wait until it has caught up, or use another node in rpcUrls; if all nodes report this, TRON itself is stalled',
    }
  return compareBlock({ client, node }, solid)
}

/** Checks that `/jsonrpc` has the same solidified block, and that the node has the results of its transactions. */
async function compareBlock(
  { client, node }: { readonly client: ChainClient; readonly node: TronNode },
  { number, id }: { readonly number: number; readonly id: `0x${string}` },
): Promise<Problem | null> {
  const block = await client.getBlock({ blockNumber: BigInt(number) }).catch(describeError)
  const hash = typeof block === 'string' ? block : block.hash
  if (typeof block === 'string' || hash !== id)
    return {
      found: `returns hash ${id} for block ${number} at /walletsolidity, but ${hash} at /jsonrpc`,
      remedy: 'use a URL in rpcUrls that leads to both APIs of the same node',
    }
  return examineHistory(node, { number, transactions: block.transactions.length })
}

/**
 * Checks whether the node returns the results of a block's transactions, which reconciliation requests for every block.
 * A node that stores no history returns none.
 */
async function examineHistory(
  node: TronNode,
  { number, transactions }: { readonly number: number; readonly transactions: number },
): Promise<Problem | null> {
  const remedy =
    'configure it to keep transaction results (storage.transHistory.switch = on), or use another node in rpcUrls'
  const infos = await node
    .askList('walletsolidity/gettransactioninfobyblocknum', { num: number })
    .catch(describeError)
  if (typeof infos === 'string')
    return { found: `returns no transaction results for block ${number}: ${infos}`, remedy }
  if (infos.length >= transactions) return null
  return {
    found: `returns results for ${infos.length} of the ${transactions} transactions of block ${number}`,
    remedy,
  }
}
