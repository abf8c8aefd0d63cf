import { LRUCache } from 'lru-cache'
import type { Address } from '../../domain/address.ts'
import { ISSUER_TIMEOUT_MS, type RestrictionRead, type Token } from '../../domain/networks.ts'
import type { ChainNode, ChainNodes } from '../nodes/chain-nodes.ts'
import type { ChainClient } from '../nodes/client.ts'
import { hasReverted } from '../nodes/node-errors.ts'
import { queryQuorum } from '../nodes/query-nodes.ts'

/**
 * Whether a token's issuer restricts an address, according to a quorum. `unknown` means that no quorum agreed on a
 * result. It must never block a payment or payout.
 */
export const TRANSFERABILITIES = ['allowed', 'restricted', 'unknown'] as const

export type Transferability = (typeof TRANSFERABILITIES)[number]

export type TransferDirection = 'receive' | 'send'

export type RestrictableToken = {
  readonly token: Token
  readonly address: Address
  readonly restriction: RestrictionRead | null
}

export type TransferQuery = {
  readonly token: RestrictableToken
  readonly account: Address
  readonly direction: TransferDirection
}

/**
 * Returns whether a token's issuer lets an account send or receive. Returns immediately if the result is cached or
 * needs no query; otherwise within a time limit. Never throws.
 */
export type RestrictionReader = (query: TransferQuery) => Transferability | Promise<Transferability>

type Options = {
  readonly nowMs?: () => number
  /** Maximum duration of a query; then the result is `unknown`. */
  readonly timeoutMs?: number
}

const CACHED_MS = 300_000
/**
 * Time after which the other nodes are queried if a node has not responded. It is short, because the whole query must
 * finish within one second.
 */
const HEDGE_MS = 200
const UNKNOWN_CACHED_MS = 30_000
/** Maximum cached results, which take about 2 MB. The least recently used results are removed first. */
const MAX_CACHED = 10_000

/** The two ABI encodings of a boolean. Other data is not a result. */
const WORDS = { [`0x${'0'.repeat(64)}`]: false, [`0x${'0'.repeat(63)}1`]: true } as Readonly<
  Record<string, boolean>
>

/**
 * Creates the reader of one chain's issuer restrictions. It caches results for five minutes, and missing results for 30
 * s. Both directions, and concurrent queries of the same account, share one request.
 *
 * @see specification, "GET /v1/recipients/{id}/transferability"
 */
export function createRestrictionReader(
  chain: ChainNodes,
  { nowMs = Date.now, timeoutMs = ISSUER_TIMEOUT_MS }: Options = {},
): RestrictionReader {
  const cache = new LRUCache<
    string,
    { answer: RestrictionResult | Promise<RestrictionResult>; expiresAtMs: number }
  >({
    // Each entry has the size 1. `max` would allocate the whole capacity immediately for every network.
    maxSize: MAX_CACHED,
    sizeCalculation: () => 1,
  })

  return ({ token, account, direction }) => {
    const { restriction } = token
    // USDT contracts check only the sender, so every address may receive, even if no restriction function is known.
    if (token.token === 'USDT' && direction === 'receive') return 'allowed'
    if (restriction === null) return 'unknown'
    if (!restriction[direction]) return 'allowed'
    const answer = read({ address: token.address, restriction, account })
    return answer instanceof Promise ? answer.then(toTransferability) : toTransferability(answer)
  }

  function read(query: RestrictionQuery): RestrictionResult | Promise<RestrictionResult> {
    const key = `${query.address}/${query.account}`
    const known = cache.get(key)
    if (known !== undefined && nowMs() < known.expiresAtMs) return known.answer
    const entry: { answer: RestrictionResult | Promise<RestrictionResult>; expiresAtMs: number } = {
      answer: queryRestriction(chain, query, timeoutMs).then((isRestricted) => {
        if (isRestricted === null) entry.expiresAtMs = nowMs() + UNKNOWN_CACHED_MS
        entry.answer = isRestricted
        return isRestricted
      }),
      expiresAtMs: nowMs() + CACHED_MS,
    }
    cache.set(key, entry)
    return entry.answer
  }
}

/** Whether the issuer restricts an address; `null` if there is no result. */
type RestrictionResult = boolean | null

function toTransferability(isRestricted: RestrictionResult): Transferability {
  if (isRestricted === null) return 'unknown'
  return isRestricted ? 'restricted' : 'allowed'
}

type RestrictionQuery = {
  readonly address: Address
  readonly restriction: RestrictionRead
  readonly account: Address
}

/** Returns `null` if the contract returns no boolean, no quorum agrees, or the query times out. */
async function queryRestriction(
  chain: ChainNodes,
  query: RestrictionQuery,
  timeoutMs: number,
): Promise<RestrictionResult> {
  let timer: NodeJS.Timeout | undefined
  const timedOut = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), timeoutMs)
  })
  const read = ({ client }: ChainNode) => readRestriction(client, query)
  const verdict = queryQuorum(chain, { read, toText: String, hedgeMs: HEDGE_MS })
  const answer = verdict.then((said) => (said.outcome === 'agreed' ? said.agreed.value : null))
  try {
    return await Promise.race([answer, timedOut])
  } finally {
    clearTimeout(timer)
  }
}

/** Returns `null` if the contract reverts or returns no boolean, for example because it lacks the function. */
async function readRestriction(
  client: ChainClient,
  { address, restriction, account }: RestrictionQuery,
): Promise<RestrictionResult> {
  const data = `${restriction.selector}${account.slice(2).padStart(64, '0')}` as const
  try {
    const { data: word } = await client.call({ to: address, data })
    return WORDS[word ?? ''] ?? null
  } catch (error) {
    if (hasReverted(error)) return null
    throw error
  }
}
