import { numberToHex, type RpcLog } from 'viem'
import type { ChainNode } from '../../shared/chain/nodes/chain-nodes.ts'
import type { NodeReport, Operator } from '../../shared/chain/nodes/node-report.ts'
import { getQuorumRule, queryEveryOperator, queryOperators } from '../../shared/chain/nodes/query-nodes.ts'
import type { QuorumRule } from '../../shared/chain/nodes/quorum.ts'
import { isUnsent } from '../../shared/chain/pacing/throttle.ts'
import type { WatchedRefund } from '../../shared/db/refunds/daemon/watched-refunds.ts'
import type { Address, Hex } from '../../shared/domain/address.ts'
import { AppError } from '../../shared/domain/errors.ts'
import { TRANSFER_TOPIC, toTopic } from '../../shared/domain/log-topics.ts'
import type { CheckedChain } from '../corroboration/checked-chain.ts'
import type { BlockRange } from '../reconciliation/block-ranges.ts'
import { keyOf, listContents } from './match-transfers.ts'

/** Maximum refunds per request, because nodes limit the number of addresses in a filter. */
const ADDRESSES_PER_REQUEST = 50
/** Maximum equal transfers used from one node's list. An honest merchant rarely repeats a payment. */
const MAX_LISTED_PER_NODE = 10

/**
 * Maximum transactions examined per operator and range that fewer operators than the quorum list. Honest nodes miss few
 * transactions, and a node that invents transactions must not use up the request budgets of the other nodes.
 */
const MAX_DOUBTFUL = 20

export type FoundTransaction = {
  readonly txHash: Hex
  /** The highest block in which a node lists the transaction. */
  readonly highestBlock: number
  /** The contents of the listed transfers, in the form of `keyOf`. */
  readonly contents: ReadonlySet<string>
}

/** The transactions of a range, and the contents (`keyOf`) of transfers that were listed but are not examined. */
export type FoundTransfers = {
  readonly transactions: readonly FoundTransaction[]
  readonly crowded: ReadonlySet<string>
}

/**
 * Finds the transactions in a range of blocks that might pay refunds. Merges the lists of a quorum of operators, or of
 * every node that responds (`asksEveryNode`). A list counts only if its node first shows the last block of the range,
 * because a node that has not reached this block returns an incomplete list without an error.
 *
 * Only logs with exactly the content of a refund are kept, because anyone can log a transfer of zero from any wallet.
 *
 * @throws {AppError} `rpc_unavailable` if too few operators respond. If a node's budget prevented a request, the cause
 * is a `NodeBudgetError`
 */
export async function findTransfers(checked: CheckedChain, scan: Scan): Promise<FoundTransfers> {
  const wanted = new Set(scan.refunds.map(keyOf))
  const found = new Map<Hex, MutableTransaction>()
  const crowded = new Set<string>()
  for (let at = 0; at < scan.refunds.length; at += ADDRESSES_PER_REQUEST) {
    const part = { ...scan, refunds: scan.refunds.slice(at, at + ADDRESSES_PER_REQUEST) }
    for (const { value, operator } of await listByOperators(checked, part))
      mergeList(value, { scan, checked, operator, wanted, found, crowded })
  }
  return { transactions: takeSome([...found.values()], getQuorumRule(checked.chain), crowded), crowded }
}

async function listByOperators(
  checked: CheckedChain,
  scan: Scan,
): Promise<readonly NodeReport<readonly RpcLog[]>[]> {
  let unsent: unknown
  const query = scan.asksEveryNode ? queryEveryOperator : queryOperators
  const responses = await query(checked.chain, (node) =>
    listLogs(node, checked, scan).catch((error: unknown) => {
      if (isUnsent(error)) unsent = error
      throw error
    }),
  )
  if (responses !== null) return responses.reports
  const { chainId } = checked.chain
  throw new AppError('rpc_unavailable', `no quorum lists the transfers of chain ${chainId}`, {
    cause: unsent,
  })
}

/**
 * Returns the transactions to examine. Of those that fewer operators than the quorum list, keeps `MAX_DOUBTFUL` per
 * operator, and adds the contents of the others to `crowded`. If one node is trusted, keeps all transactions.
 */
function takeSome(
  transactions: readonly MutableTransaction[],
  { quorum, trusted }: QuorumRule,
  crowded: Set<string>,
): readonly FoundTransaction[] {
  const counts = new Map<string, number>()
  return transactions.filter(({ operators, contents }) => {
    if (trusted !== null || operators.size >= quorum) return true
    const [operator = ''] = operators
    const count = (counts.get(operator) ?? 0) + 1
    counts.set(operator, count)
    if (count > MAX_DOUBTFUL) for (const content of contents) crowded.add(content)
    return count <= MAX_DOUBTFUL
  })
}

/** A range of blocks, and the refunds whose transfers to find in it. */
export type Scan = BlockRange & {
  readonly refunds: readonly WatchedRefund[]
  readonly asksEveryNode: boolean
}

type MutableTransaction = {
  txHash: Hex
  highestBlock: number
  contents: Set<string>
  operators: Set<Operator>
}

async function listLogs(
  { client }: ChainNode,
  { deployment }: CheckedChain,
  scan: Scan,
): Promise<readonly RpcLog[]> {
  await client.getBlock({ blockNumber: BigInt(scan.toBlock) })
  const topics = (addresses: readonly Address[]) => [...new Set(addresses)].map(toTopic)
  const filter = {
    ...{ fromBlock: numberToHex(scan.fromBlock), toBlock: numberToHex(scan.toBlock) },
    address: deployment.tokens.map(({ emitter }) => emitter),
    topics: [
      TRANSFER_TOPIC,
      topics(scan.refunds.map(({ sender }) => sender)),
      topics(scan.refunds.map(({ destination }) => destination)),
    ],
  }
  return client.request({ method: 'eth_getLogs', params: [filter as never] })
}

type Merge = {
  readonly scan: Scan
  readonly checked: CheckedChain
  readonly operator: Operator
  readonly wanted: ReadonlySet<string>
  readonly found: Map<Hex, MutableTransaction>
  readonly crowded: Set<string>
}

/**
 * Merges the list of one node. If the node lists a content more than `MAX_LISTED_PER_NODE` times, adds the content to
 * `crowded`, and drops the node's further logs with this content.
 */
function mergeList(
  logs: readonly RpcLog[],
  { scan, checked, operator, wanted, found, crowded }: Merge,
): void {
  const listed = new Map<string, number>()
  for (const log of logs) {
    const place = placeOf(log, scan)
    const [content] = place === null ? [] : listContents({ ...place, logs: [toLog(log)] }, checked.deployment)
    if (place === null || content === undefined || !wanted.has(content)) continue
    const count = (listed.get(content) ?? 0) + 1
    listed.set(content, count)
    if (count > MAX_LISTED_PER_NODE) crowded.add(content)
    else noteTransaction(found, { ...place, content, operator })
  }
}

/** Returns the position of a log; `null` for a log without a block or outside of the requested range. */
function placeOf({ transactionHash, blockNumber, blockHash }: RpcLog, { fromBlock, toBlock }: BlockRange) {
  const block = Number(blockNumber)
  if (transactionHash === null || blockHash === null || !(block >= fromBlock && block <= toBlock)) return null
  return { txHash: transactionHash.toLowerCase() as Hex, blockNumber: block, blockHash, blockTimestamp: 0 }
}

function toLog({ address, topics, data }: RpcLog) {
  return { address, topics, data, logIndex: 0 }
}

type Listed = {
  readonly txHash: Hex
  readonly blockNumber: number
  readonly content: string
  readonly operator: Operator
}

function noteTransaction(
  found: Map<Hex, MutableTransaction>,
  { txHash, blockNumber, content, operator }: Listed,
): void {
  const { highestBlock = blockNumber, contents = [], operators = [] } = found.get(txHash) ?? {}
  found.set(txHash, {
    txHash,
    highestBlock: Math.max(highestBlock, blockNumber),
    contents: new Set([...contents, content]),
    operators: new Set([...operators, operator]),
  })
}
