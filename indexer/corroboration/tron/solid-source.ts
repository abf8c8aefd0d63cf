import type { ChainClient } from '../../../shared/chain/client.ts'
import type { ChainNode } from '../../../shared/chain/nodes/chain-nodes.ts'
import type { PlacedLog, PlacedReceipt } from '../../../shared/chain/receipts.ts'
import {
  readSolidBlock,
  readSolidReceipt,
  type SolidReceipt,
} from '../../../shared/chain/tron/read-solid-block.ts'
import { listSolidTransactions, readSolidHead } from '../../../shared/chain/tron/read-tron.ts'
import {
  createTronNode,
  TronAnswerTooLongError,
  type TronNode,
  TronNodeError,
} from '../../../shared/chain/tron/tron-node.ts'
import type { Address, Hex } from '../../../shared/domain/address.ts'
import { addressTopic, SPLIT_TOPICS, TRANSFER_TOPIC } from '../../transport/log-filter.ts'
import type { ChainSource, TransactionClaim } from '../log-source.ts'
import { type FoundLog, type LogScan, scanLogs } from '../scan-logs.ts'
import { readLongReceipt } from './read-long-receipt.ts'
import { readSolidNode } from './read-solid-node.ts'

/** Blocks that are read one by one at once; a chain makes ten of them between two looks. */
export const MAX_SOLID_BLOCKS = 40
/** A whole block may be some hundred kilobytes. */
const REQUEST_TIMEOUT_MS = 10_000
/** Under way at once; of each some megabytes may come. */
const AT_ONCE = 3

/** One for each node, as long as that is asked: several pages of charges are looked for in the same blocks. */
const SOURCES = new WeakMap<ChainClient, ChainSource>()

/**
 * Makes what reads a node of TRON at `/walletsolidity`, which is not the API that the feed reads: so what one of the two
 * has lost, or has made up, the other shows.
 *
 * A range of so few blocks is read block by block, one request each, and another for the blocks that log anything. Of a
 * wider one `/jsonrpc` says where to look, and this API what is there; so it is for a block that does more than a node can
 * tell of at once, and then somebody is told.
 */
export function createSolidSource(chainNode: ChainNode): ChainSource {
  const known = SOURCES.get(chainNode.client)
  if (known !== undefined) return known
  const { url, client } = chainNode
  const node = createTronNode({ url, chainId: client.chain.id, timeoutMs: REQUEST_TIMEOUT_MS })
  const blocks = createBlocks(node)
  const source: ChainSource = {
    findLogs: async (scan) => {
      const { charges, fromBlock, toBlock } = scan
      if (charges.length === 0) return []
      if (toBlock - fromBlock >= MAX_SOLID_BLOCKS) return scanLogs(client, scan)
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
    readEnd: () => readSolidNode(chainNode),
  }
  SOURCES.set(client, source)
  return source
}

/**
 * @throws {TronNodeError} if the claimed block is not solid at the node, or lists the transaction whose effects the node
 *   does not show, or these are too long to read: none of it is an answer
 */
async function readEffects(
  from: { readonly node: TronNode; readonly client: ChainClient },
  claim: TransactionClaim,
): Promise<PlacedReceipt | null> {
  const receipt = await readReceipt(from, claim.txHash)
  if (receipt === null) await requireAbsence(from.node, claim)
  return receipt === 'failed' ? null : receipt
}

/** A node that keeps no effects of transactions must not be taken for one that denies. */
async function requireAbsence(node: TronNode, { txHash, blockNumber }: TransactionClaim): Promise<void> {
  const listed = await listSolidTransactions(node, blockNumber)
  if (listed.includes(txHash)) throw new TronNodeError(node, `lists ${txHash} and does not show what it did`)
}

async function readReceipt(
  from: { readonly node: TronNode; readonly client: ChainClient },
  hash: Hex,
): Promise<SolidReceipt> {
  try {
    return await readSolidReceipt(from.node, hash)
  } catch (error) {
    if (error instanceof TronAnswerTooLongError) return readLongReceipt(from, hash)
    throw error
  }
}

function passTooLong(error: unknown): null {
  if (error instanceof TronAnswerTooLongError) return null
  throw error
}

type Blocks = Pick<LogScan, 'fromBlock' | 'toBlock' | 'emitters'>

/** Keeps what was read last: a solid block stays what it is. `null` is one that is too long. */
function createBlocks(node: TronNode) {
  const kept = new Map<number, readonly PlacedReceipt[] | null>()
  /** Whose transfers are kept; it changes with the tokens. */
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
    for (const number of kept.keys()) if (kept.size > MAX_SOLID_BLOCKS) kept.delete(number)
    return { receipts, long }
  }

  /** @throws {TronNodeError} if the block is not solid there, for then it is answered as empty */
  async function require(number: number): Promise<void> {
    const head = await readSolidHead(node)
    if (head.number < number) throw new TronNodeError(node, `has no solid block ${number}`)
  }

  async function keep(number: number, emitters: readonly Address[]): Promise<void> {
    const read = () => readSolidBlock(node, number, couldBeOurs(emitters))
    // A slow line makes a block too long as well; once more tells.
    const again = (error: unknown) => {
      if (error instanceof TronAnswerTooLongError) return read()
      throw error
    }
    kept.set(number, await read().catch(again).catch(passTooLong))
  }
}

/** What could be of charges: a full block logs hundreds of other things. */
function couldBeOurs(emitters: readonly Address[]): (log: PlacedLog) => boolean {
  const [tokens, splits] = [new Set<string>(emitters), new Set<string>(SPLIT_TOPICS)]
  return ({ address, topics: [topic] }) =>
    topic === TRANSFER_TOPIC ? tokens.has(address) : topic !== undefined && splits.has(topic)
}

/** Tells the logs that `scanLogs` asks nodes for; there is no escrow. */
function isOf({ charges, emitters }: LogScan): (log: PlacedLog) => boolean {
  const tokens = new Set<string>(emitters)
  const paid = new Set<string>(charges.map(({ address }) => addressTopic(address)))
  const splits = new Set<string>(charges.map(({ splitAddress }) => splitAddress))
  return ({ address, topics: [topic, , recipient = ''], data }) =>
    topic === TRANSFER_TOPIC
      ? tokens.has(address) && paid.has(recipient) && !/^0x0*$/.test(data)
      : splits.has(address)
}
