import { LRUCache } from 'lru-cache'
import type { Address } from '../domain/address.ts'
import { ISSUER_TIMEOUT_MS, type RestrictionRead, type Token } from '../domain/networks.ts'
import type { ChainClient } from './client.ts'
import { hasReverted } from './node-errors.ts'
import type { ChainNode, ChainNodes } from './nodes/chain-nodes.ts'
import { queryQuorum } from './nodes/query-nodes.ts'

/**
 * What a token's issuer says about an address, as a quorum of nodes reports it. `unknown` is no answer, or no agreement, and
 * never blocks anything.
 */
export const TRANSFERABILITIES = ['allowed', 'restricted', 'unknown'] as const

export type Transferability = (typeof TRANSFERABILITIES)[number]

/** Whether the address is to get the token, or to send it on. */
export type TransferDirection = 'receive' | 'send'

/** A token contract and the function, if it has one, by which its issuer tells whom it restricts. */
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

/** Asks one chain's issuers; at once where the answer is known, else within a bound, and it never throws. */
export type RestrictionReader = (query: TransferQuery) => Transferability | Promise<Transferability>

type Options = {
  /** For the age of what is cached. */
  readonly nowMs?: () => number
  /** What takes longer is no answer. */
  readonly timeoutMs?: number
}

const CACHED_MS = 300_000
/** All of it must be over within the second: a node that hangs has the others asked after this long. */
const HEDGE_MS = 200
const UNKNOWN_CACHED_MS = 30_000
/** Some 2 MB; beyond, the addresses asked for longest ago are asked for again. */
const MAX_CACHED = 10_000

/** An ABI boolean is one word; anything else is no answer. */
const WORDS = { [`0x${'0'.repeat(64)}`]: false, [`0x${'0'.repeat(63)}1`]: true } as Readonly<
  Record<string, boolean>
>

/**
 * Makes the reader of one chain's issuer restrictions, with its cache: five minutes, or 30 s for no answer.
 *
 * One read serves both directions, and callers that ask for the same at once share it.
 *
 * @see specification, "GET /v1/recipients/{id}/transferability"
 */
export function createRestrictionReader(
  chain: ChainNodes,
  { nowMs = Date.now, timeoutMs = ISSUER_TIMEOUT_MS }: Options = {},
): RestrictionReader {
  const cache = new LRUCache<string, { answer: Answer | Promise<Answer>; expiresAtMs: number }>({
    // Bounded by a size of one each: for `max` it would take the room of all at once, for every network.
    maxSize: MAX_CACHED,
    sizeCalculation: () => 1,
  })

  return ({ token, account, direction }) => {
    const { restriction } = token
    // Tether's contracts check the sender only, so nobody is kept from receiving, whatever functions a copy has.
    if (token.token === 'USDT' && direction === 'receive') return 'allowed'
    if (restriction === null) return 'unknown'
    if (!restriction[direction]) return 'allowed'
    const answer = read({ address: token.address, restriction, account })
    return answer instanceof Promise ? answer.then(toTransferability) : toTransferability(answer)
  }

  function read(query: RestrictionQuery): Answer | Promise<Answer> {
    const key = `${query.address}/${query.account}`
    const known = cache.get(key)
    if (known !== undefined && nowMs() < known.expiresAtMs) return known.answer
    const entry: { answer: Answer | Promise<Answer>; expiresAtMs: number } = {
      answer: ask(chain, query, timeoutMs).then((isRestricted) => {
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

/** Whether the issuer restricts an address; `null` is no answer. */
type Answer = boolean | null

function toTransferability(isRestricted: Answer): Transferability {
  if (isRestricted === null) return 'unknown'
  return isRestricted ? 'restricted' : 'allowed'
}

type RestrictionQuery = {
  readonly address: Address
  readonly restriction: RestrictionRead
  readonly account: Address
}

/** Returns `null` if the contract has no such function, no quorum reports the same, or the time is over. */
async function ask(chain: ChainNodes, query: RestrictionQuery, timeoutMs: number): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined
  const noAnswer = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), timeoutMs)
  })
  const read = ({ client }: ChainNode) => readRestriction(client, query)
  const verdict = queryQuorum(chain, { read, toText: String, hedgeMs: HEDGE_MS })
  const answer = verdict.then((said) => (said.outcome === 'agreed' ? said.agreed.value : null))
  try {
    return await Promise.race([answer, noAnswer])
  } finally {
    clearTimeout(timer)
  }
}

/** Returns `null` if the contract has no such function. */
async function readRestriction(
  client: ChainClient,
  { address, restriction, account }: RestrictionQuery,
): Promise<Answer> {
  const data = `${restriction.selector}${account.slice(2).padStart(64, '0')}` as const
  try {
    const { data: word } = await client.call({ to: address, data })
    return WORDS[word ?? ''] ?? null
  } catch (error) {
    if (hasReverted(error)) return null
    throw error
  }
}
