import { numberToHex, zeroAddress } from 'viem'
import type { ChainClient } from '../../../shared/chain/nodes/client.ts'
import { TRANSFER_TOPIC } from '../../../shared/domain/log-topics.ts'
import type { DeploymentConfig } from '../../../shared/runtime/networks-config.ts'
import { examineAddresses, examineBalances } from './examine-batch-limits.ts'
import { findFailure, type Problem } from './finding.ts'

/**
 * Age, beyond the confirmation depth, of the oldest state that a node must have, because a feed may lag this much when
 * an expiry is decided.
 */
const STATE_SECONDS = 600
/** Blocks per log request, the same number as the smallest range of reconciliation (`MIN_BLOCKS_PER_RANGE`). */
const LOGS_RANGE = 1_000
/** Newest blocks that are searched for a block with logs. */
const SEARCHED_BLOCKS = 30
const NO_BLOOM = /^0x0*$/

/**
 * Checks whether an EVM node keeps the state of old blocks, returns logs of block ranges, still has its logs, and
 * accepts our batches. Returns the problems, and `null` for each check that passed.
 */
export async function examineEvmNode(
  client: ChainClient,
  deployment: DeploymentConfig,
  head: number,
): Promise<readonly (Problem | null)[]> {
  return [
    ...(await Promise.all([
      stateOf(client, deployment, head),
      examineRange(client, { head, blocks: LOGS_RANGE }),
      logsOf(client, head),
    ])),
    ...(await Promise.all([
      examineBalances(client, deployment, head),
      examineAddresses(client, deployment, head),
    ])),
  ]
}

async function stateOf(
  client: ChainClient,
  { blockTimeMs, confirmations }: DeploymentConfig,
  head: number,
): Promise<Problem | null> {
  const depth = confirmations + Math.ceil((STATE_SECONDS * 1000) / blockTimeMs)
  const blockNumber = BigInt(Math.max(0, head - depth))
  return findFailure(client.getBalance({ address: zeroAddress, blockNumber }), (failure) => ({
    found: `has no state of ${depth} blocks ago: ${failure}`,
    remedy: `configure it to keep the state of ${depth} blocks, or use an archive node in rpcUrls`,
  }))
}

/** Returns the problem of a node that cannot return logs for enough blocks in one request; `null` if it can. */
export async function examineRange(
  client: ChainClient,
  { head, blocks }: { readonly head: number; readonly blocks: number },
): Promise<Problem | null> {
  const range = { fromBlock: numberToHex(Math.max(0, head - blocks + 1)), toBlock: numberToHex(head) }
  // Any address will do, because the query only tests whether the node accepts the range.
  const query = { ...range, address: zeroAddress, topics: [TRANSFER_TOPIC] }
  return findFailure(client.request({ method: 'eth_getLogs', params: [query as never] }), (failure) => ({
    found: `returns no logs of ${blocks} blocks: ${failure}`,
    remedy: `raise its limit of eth_getLogs to ${blocks} blocks, or use another node in rpcUrls`,
  }))
}

/**
 * Returns the problem of a node that has no logs of the newest block with a bloom filter that is not empty. Returns
 * `null` if the node has these logs, or if none of the newest blocks has such a filter.
 */
async function logsOf(client: ChainClient, head: number): Promise<Problem | null> {
  for (let number = head; number >= 0 && number > head - SEARCHED_BLOCKS; number -= 1) {
    const block = await client.getBlock({ blockNumber: BigInt(number) }).catch(() => null)
    if (block === null || block.logsBloom === null || NO_BLOOM.test(block.logsBloom)) continue
    const logs = await client.getLogs({ blockHash: block.hash }).catch(() => [])
    return logs.length > 0
      ? null
      : {
          found: `returns no logs of block ${number}, although the block's bloom filter is not empty`,
          remedy: 'rebuild its log index, or use another node in rpcUrls',
        }
  }
  return null
}
