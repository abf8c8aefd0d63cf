import type { ChainNode } from '../../../shared/chain/nodes/chain-nodes.ts'
import type { ChainClient } from '../../../shared/chain/nodes/client.ts'
import type { PositionedLog, PositionedReceipt } from '../../../shared/chain/nodes/receipts.ts'
import {
  readSolidifiedBlock,
  readSolidifiedReceipt,
  type SolidReceipt,
} from '../../../shared/chain/tron/read-solidified-block.ts'
import { listSolidifiedTransactions, readSolidifiedHead } from '../../../shared/chain/tron/read-tron.ts'
import {
  createTronNode,
  type TronNode,
  TronNodeError,
  TronResponseTooLargeError,
} from '../../../shared/chain/tron/tron-node.ts'
import type { Address, Hex } from '../../../shared/domain/address.ts'
import { SPLIT_TOPICS, TRANSFER_TOPIC, toTopic } from '../../../shared/domain/log-topics.ts'
import { type FoundLog, type LogScan, scanLogs } from '../../chain-feed/scan-logs.ts'
import type { ChainSource, TransactionClaim } from '../log-source.ts'
import { readLongReceipt } from './read-long-receipt.ts'
import { readSolidifiedNodeHead } from './read-solidified-head.ts'

/** Maximum blocks of a range that is read block by block. TRON produces ten blocks between two scans (30 s). */
export const MAX_SOLIDIFIED_BLOCKS = 40
/** Long, because the response for a whole block may be several hundred kilobytes. */
const REQUEST_TIMEOUT_MS = 10_000
/** Maximum concurrent requests. Each response may be several megabytes. */
const AT_ONCE = 3

/**
 * One source per node, as long as the node's client exists. A source caches blocks, because the same blocks are
 * searched for several pages of charges.
 */
const SOURCES = new WeakMap<ChainClient, ChainSource>()

/**
 * Returns the source that reads a TRON node at `/walletsolidity`. The feed reads the node's `/jsonrpc`, so a comparison
 * of the two APIs reveals logs that one API has lost or invented.
 *
 * A range of at most `MAX_SOLIDIFIED_BLOCKS` blocks is read block by block, with one request per block, and one more
 * for each block with logs that could be ours. In a wider range, and in a block that is too long for one response,
 * `findLogs` uses `/jsonrpc`. For a block that is too long, it also calls `onLongBlock`.
 */
export function createSolidifiedSource(chainNode: ChainNode): ChainSource {
  const known = SOURCES.get(chainNode.client)
  if (known !== undefined) return known
  const { url, client, pacing } = chainNode
  const node = createTronNode({ url, chainId: client.chain.id, timeoutMs: REQUEST_TIMEOUT_MS, pacing })
  const blocks = createBlocks(node)
  const source: ChainSource = {
    findLogs: async (scan) => {
      const { charges, fromBlock, toBlock } = scan
      if (charges.length === 0) return []
      if (toBlock - fromBlock >= MAX_SOLIDIFIED_BLOCKS) return scanLogs(client, scan)
      const { receipts, long } = await blocks.read(scan)
      const logs: FoundLog[] = receipts.flatMap(({ txHash, blockHash, blockNumber, logs: all }) =>
        all
          .filter(isOf(scan))
          .map(({ logIndex }) => ({ txHash, blockHash, blockNumber, logIndex: logIndex ?? 0 })),
      )
      for (const number of long) {
        scan.onLongBlock?.(number)
        logs.push(...(await scanLogs(client, { ...scan, fromBlock: number, toBlock: number })))
      }
      return logs
    },
    readEffects: (claim) => readEffects({ node, client }, claim),
    readEnd: () => readSolidifiedNodeHead(chainNode),
  }
  SOURCES.set(client, source)
  return source
}

/**
 * See `ChainSource`.
 *
 * @throws {TronNodeError} if the node has not solidified the claimed block, lists the transaction in that block without
 * effects, returns effects that are too long to read, or contradicts itself
 */
async function readEffects(
  from: { readonly node: TronNode; readonly client: ChainClient },
  claim: TransactionClaim,
): Promise<PositionedReceipt | null> {
  const receipt = await readReceipt(from, claim.txHash)
  if (receipt === null) await requireAbsence(from.node, claim)
  return receipt === 'failed' ? null : receipt
}

/**
 * Throws if the claimed block lists the transaction or is not solidified, because a node that stores no transaction
 * effects, or lags, must not count as a node that denies the transaction.
 */
async function requireAbsence(node: TronNode, { txHash, blockNumber }: TransactionClaim): Promise<void> {
  const listed = await listSolidifiedTransactions(node, blockNumber)
  if (listed.includes(txHash))
    throw new TronNodeError(node, `lists ${txHash} without the transaction's result`)
}

async function readReceipt(
  from: { readonly node: TronNode; readonly client: ChainClient },
  hash: Hex,
): Promise<SolidReceipt> {
  try {
    return await readSolidifiedReceipt(from.node, hash)
  } catch (error) {
    if (error instanceof TronResponseTooLargeError) return readLongReceipt(from, hash)
    throw error
  }
}

function passTooLong(error: unknown): null {
  if (error instanceof TronResponseTooLargeError) return null
  throw error
}

type Blocks = Pick<LogScan, 'fromBlock' | 'toBlock' | 'emitters'>

/**
 * Creates a cache of the most recently read blocks, because a solidified block does not change. A block that is too
 * long has the value `null`.
 */
function createBlocks(node: TronNode) {
  const kept = new Map<number, readonly PositionedReceipt[] | null>()
  /** The emitters whose transfers are cached. If the tokens change, the cache is cleared. */
  let keptEmitters = ''

  return { read }

  async function read({ fromBlock, toBlock, emitters }: Blocks) {
    const names = emitters.toSorted().join()
    if (names !== keptEmitters) kept.clear()
    keptEmitters = names
    const numbers = Array.from({ length: toBlock - fromBlock + 1 }, (_, at) => fromBlock + at)
    const missing = numbers.filter((number) => !kept.has(number))
    if (missing.length > 0) await require(toBlock)
    for (let at = 0; at < missing.length; at += AT_ONCE)
      await Promise.all(missing.slice(at, at + AT_ONCE).map((number) => keep(number, emitters)))
    const receipts = numbers.flatMap((number) => kept.get(number) ?? [])
    const long = numbers.filter((number) => kept.get(number) === null)
    for (const number of kept.keys()) if (kept.size > MAX_SOLIDIFIED_BLOCKS) kept.delete(number)
    return { receipts, long }
  }

  /** @throws {TronNodeError} if the node has not solidified the block, because it would then return an empty block */
  async function require(number: number): Promise<void> {
    const head = await readSolidifiedHead(node)
    if (head.number < number) throw new TronNodeError(node, `has no solidified block ${number}`)
  }

  async function keep(number: number, emitters: readonly Address[]): Promise<void> {
    const read = () => readSolidifiedBlock(node, number, couldBeOurs(emitters))
    // Retry once, because a block also appears too long over a slow connection.
    const again = (error: unknown) => {
      if (error instanceof TronResponseTooLargeError) return read()
      throw error
    }
    kept.set(number, await read().catch(again).catch(passTooLong))
  }
}

/** Filters the logs that could belong to charges, because a full block contains hundreds of other logs. */
function couldBeOurs(emitters: readonly Address[]): (log: PositionedLog) => boolean {
  const [tokens, splits] = [new Set<string>(emitters), new Set<string>(SPLIT_TOPICS)]
  return ({ address, topics: [topic] }) =>
    topic === TRANSFER_TOPIC ? tokens.has(address) : topic !== undefined && splits.has(topic)
}

/** Filters the logs that `scanLogs` would return, without escrow transfers, because TRON has no escrow. */
function isOf({ charges, emitters }: LogScan): (log: PositionedLog) => boolean {
  const tokens = new Set<string>(emitters)
  const paid = new Set<string>(charges.map(({ address }) => toTopic(address)))
  const splits = new Set<string>(charges.map(({ splitAddress }) => splitAddress))
  return ({ address, topics: [topic, , recipient = ''], data }) =>
    topic === TRANSFER_TOPIC
      ? tokens.has(address) && paid.has(recipient) && !/^0x0*$/.test(data)
      : splits.has(address)
}
