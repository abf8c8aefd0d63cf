import { custom, numberToHex, type Transport } from 'viem'
import { createFallbackTransport } from '../../shared/chain/nodes/fallback-transport.ts'
import { nodeTransport } from '../../shared/chain/nodes/node-transport.ts'
import { type PacerOf, type Priority, UNPACED } from '../../shared/chain/pacing/pacing.ts'
import {
  findKnownAddresses,
  type KnownAddress,
  listKnownAddresses,
} from '../../shared/db/chain-facts/daemon/known-addresses.ts'
import { connect, type Db } from '../../shared/db/connect.ts'
import type { Address, ChainFamilyName, Hex } from '../../shared/domain/address.ts'
import { SPLIT_TOPICS, TRANSFER_TOPIC, toTopic } from '../../shared/domain/log-topics.ts'
import { systemClock } from '../../shared/runtime/clock.ts'
import { isInBloom } from './bloom.ts'
import { createHeadGuard } from './head-guard.ts'
import { filterOwnLogs, listLookupAddresses, type RpcLog } from './log-filter.ts'
import { NORMALIZERS_BY_FAMILY } from './normalizers-by-family.ts'

type TransportSettings = {
  readonly chainId: number
  readonly family: ChainFamilyName
  readonly rpcUrls: readonly string[]
  readonly emitters: readonly Address[]
  readonly databaseUrl: string
  /** Returns the pacer of a node. If this function is missing, requests are not paced. */
  readonly pacerOf?: PacerOf | undefined
}

type Call = { readonly method: string; readonly params?: unknown }
type Request = (call: Call) => Promise<unknown>
type Block = {
  readonly number: Hex
  readonly hash: Hex
  readonly logsBloom: Hex
  readonly transactions: readonly unknown[]
}
type LogQuery = {
  readonly address?: readonly Address[]
  readonly blockHash?: Hex
  readonly fromBlock?: Hex
  readonly toBlock?: Hex
  readonly topics?: readonly (Hex | readonly Hex[] | null)[]
}

type Filter = {
  readonly request: Request
  readonly mends: (typeof NORMALIZERS_BY_FAMILY)[ChainFamilyName]
  readonly db: Db
  readonly emitters: ReadonlySet<string>
  readonly blooms: Map<Hex, Hex>
}

/** Maximum addresses in a range query. If we have more, the query names none, and the response is filtered here. */
const MAX_ADDRESSES_IN_QUERY = 300

/**
 * Maximum blooms in memory. Ponder has far fewer blocks in flight, because it fetches a block's logs right after the
 * block.
 */
const MAX_REMEMBERED_BLOOMS = 512

/** The same timeout as Ponder's. */
const REQUEST_TIMEOUT_MS = 10_000

const NO_BLOOM: Hex = `0x${'0'.repeat(512)}`

/**
 * Creates the transport through which Ponder reads a chain. It queries nodes only for our tokens and splits, and
 * returns only logs that move money of our charges.
 *
 * The transport relies on the request pattern of Ponder 0.16.10, whose version is pinned: in real time, a block by
 * number and then its logs by hash; in the backfill, logs by range. test/integration/chain-feed verifies this pattern.
 * If the lookup of addresses fails, the request fails. Ponder retries failed requests, so the transport sends each
 * request to each node at most once, and none to a node on the wrong chain.
 */
export function createFilterTransport(settings: TransportSettings): Transport {
  const db = connect({ url: settings.databaseUrl, applicationName: 'ponder-filter', maxConnections: 2 })
  const emitters = new Set<string>(settings.emitters)
  const blooms = new Map<Hex, Hex>()
  const guardHead = createHeadGuard<Block>(systemClock)
  const { chainId, rpcUrls, pacerOf = () => UNPACED.pacer } = settings
  const pacers = rpcUrls.map(pacerOf)
  const nodes = rpcUrls.map((url) =>
    nodeTransport({
      ...{ url, chainId, timeoutMs: REQUEST_TIMEOUT_MS, priorityOf },
      pacing: { pacer: pacerOf(url), priority: 'payment' },
    }),
  )
  const getDelayMs = (index: number) => pacers[index]?.getDelayMs() ?? 0
  return (options) => {
    const request = createFallbackTransport(nodes, { rounds: 1, getDelayMs })(options).request as Request
    const mends = NORMALIZERS_BY_FAMILY[settings.family]
    const filter: Filter = { request, mends, db, emitters, blooms }
    return custom({
      request: async (call: Call) => {
        if (call.method === 'eth_getLogs') return getLogs(filter, call)
        const answer = await request(call)
        if (!isBlock(call.method, answer)) return answer
        const mended = mends.mendBlock(answer)
        const block = isLatest(call) ? guardHead(mended) : mended
        return rememberBloom(blooms, block)
      },
    })({ ...options, retryCount: 0 })
  }
}

/** Ponder requests the logs of ranges only in the backfill. */
function priorityOf({ method, params }: Call): Priority {
  const [query] = method === 'eth_getLogs' ? (params as readonly [LogQuery]) : []
  return query !== undefined && query.blockHash === undefined ? 'background' : 'payment'
}

/**
 * Stores a block's bloom and returns the block with an empty bloom. With the real bloom, Ponder would treat a response
 * whose logs were all filtered out as a failure of the node. `logsOfBlock` checks the real bloom instead.
 *
 * An empty bloom on a block with transactions is not stored, because nodes that do not keep blooms return it.
 */
function rememberBloom(blooms: Map<Hex, Hex>, block: Block): Block {
  if (block.logsBloom !== NO_BLOOM || block.transactions.length === 0) blooms.set(block.hash, block.logsBloom)
  for (const oldest of blooms.keys()) {
    if (blooms.size <= MAX_REMEMBERED_BLOOMS) break
    blooms.delete(oldest)
  }
  return { ...block, logsBloom: NO_BLOOM }
}

async function getLogs(filter: Filter, call: Call): Promise<readonly RpcLog[]> {
  const [query] = call.params as readonly [LogQuery]
  const logs = query.blockHash
    ? await logsOfBlock(filter, query.blockHash).catch((failure: unknown) => {
        throw filter.mends.mendFailure(failure)
      })
    : await logsOfRange(filter, { ...query })
  const known = await findKnown(filter, logs)
  return filterOwnLogs(logs, { ...known, emitters: filter.emitters })
}

/** Skips queries that the block's bloom rules out. If no bloom is stored, fetches all logs of the block. */
async function logsOfBlock(filter: Filter, blockHash: Hex): Promise<readonly RpcLog[]> {
  const bloom = filter.blooms.get(blockHash)
  if (bloom === undefined) return ask(filter, { blockHash })
  const emitters = [...filter.emitters].filter((emitter) => isInBloom(bloom, emitter as Hex))
  const splitTopics = SPLIT_TOPICS.filter((topic) => isInBloom(bloom, topic))
  const queries = [
    ...(emitters.length > 0 && isInBloom(bloom, TRANSFER_TOPIC)
      ? [{ blockHash, address: emitters, topics: [TRANSFER_TOPIC] }]
      : []),
    ...(splitTopics.length > 0 ? [{ blockHash, topics: [splitTopics] }] : []),
  ]
  const answers = await Promise.all(queries.map((query) => ask(filter, query)))
  const logs = answers.some((answer) => answer.length === 0)
    ? await logsOfFilledBlock(filter, blockHash)
    : answers.flat()
  return logs.toSorted((a, b) => Number(BigInt(a.logIndex) - BigInt(b.logIndex)))
}

/**
 * Fetches all logs of a block after a node returned an empty list, although the block's bloom may contain the requested
 * logs. A node that does not have the block yet might return no logs.
 *
 * @throws {Error} if the node returns no logs at all
 */
async function logsOfFilledBlock(filter: Filter, blockHash: Hex): Promise<readonly RpcLog[]> {
  const logs = await ask(filter, { blockHash })
  if (logs.length === 0)
    throw new Error(`node returned no logs for block ${blockHash}, whose bloom is not empty`)
  return logs
}

/**
 * The addresses are read once the end of the range is known, because a charge that is created later cannot have been
 * paid in the range.
 */
async function logsOfRange(filter: Filter, query: LogQuery): Promise<readonly RpcLog[]> {
  const known = await listKnownAddresses(filter.db, MAX_ADDRESSES_IN_QUERY)
  const queries = known === null ? [query] : narrow(query, known)
  const answers = await Promise.all(queries.map((narrowed) => askInPieces(filter, narrowed)))
  // Removes duplicates, because both queries return a transfer from an escrow to its split.
  return [...new Map(answers.flat().map((log) => [`${log.blockNumber}/${log.logIndex}`, log])).values()]
}

function narrow(query: LogQuery, known: readonly KnownAddress[]): readonly LogQuery[] {
  const topic = [query.topics?.[0]].flat()
  const ours = known.map(({ address }) => address)
  if (ours.length === 0) return []
  if (!topic.includes(TRANSFER_TOPIC)) return [{ ...query, address: ours }]
  const escrows = known.filter(({ isEscrow }) => isEscrow).map(({ address }) => toTopic(address))
  return [
    { ...query, topics: [TRANSFER_TOPIC, null, ours.map(toTopic)] },
    ...(escrows.length > 0 ? [{ ...query, topics: [TRANSFER_TOPIC, escrows] }] : []),
  ]
}

async function findKnown(filter: Filter, logs: readonly RpcLog[]) {
  const addresses = listLookupAddresses(logs, filter.emitters)
  const known = addresses.length === 0 ? [] : await findKnownAddresses(filter.db, addresses)
  return {
    ours: new Set<string>(known.map(({ address }) => address)),
    escrows: new Set<string>(known.filter(({ isEscrow }) => isEscrow).map(({ address }) => address)),
  }
}

/**
 * Queries the pieces of a range one after another. A node with a lower limit returns an error, and Ponder then narrows
 * the range itself.
 */
async function askInPieces(filter: Filter, query: LogQuery): Promise<readonly RpcLog[]> {
  if (query.fromBlock === undefined || query.toBlock === undefined) return ask(filter, query)
  const [from, to] = [Number(query.fromBlock), Number(query.toBlock)]
  const logs: RpcLog[] = []
  const { maxBlocksInQuery } = filter.mends
  for (let start = from; start <= to; start += maxBlocksInQuery) {
    const end = Math.min(to, start + maxBlocksInQuery - 1)
    logs.push(...(await ask(filter, { ...query, fromBlock: numberToHex(start), toBlock: numberToHex(end) })))
  }
  return logs
}

async function ask(filter: Filter, query: object): Promise<readonly RpcLog[]> {
  return (await filter.request({ method: 'eth_getLogs', params: [query] })) as readonly RpcLog[]
}

function isBlock(method: string, answer: unknown): answer is Block {
  return (method === 'eth_getBlockByNumber' || method === 'eth_getBlockByHash') && answer !== null
}

function isLatest(call: Call): boolean {
  return call.method === 'eth_getBlockByNumber' && (call.params as readonly unknown[])[0] === 'latest'
}
