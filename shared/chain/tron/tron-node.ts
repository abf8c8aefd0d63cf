import { BaseError } from 'viem'
import { type NodeEndpoint, parseNode, redactHeaders } from '../../domain/node-endpoint.ts'
import type { ChainUrls } from '../nodes/client.ts'
import { createChainIdGuard } from '../nodes/verify-chain-id.ts'
import { type Pacing, UNPACED } from '../pacing/pacing.ts'
import { readHttpThrottle, readRpcThrottle } from '../pacing/read-throttle.ts'
import { sendPaced } from '../pacing/send-paced.ts'
import { markThrottle } from '../pacing/throttle.ts'
import { toPacing } from '../pacing/to-pacing.ts'

/** A response of a TRON node's HTTP API: an object whose fields are not validated. */
export type TronResponse = Readonly<Record<string, unknown>>

/** One TRON node, queried at `/wallet` and `/walletsolidity`. */
export type TronNode = {
  /** The host of the node's URL, because the rest of the URL may contain a key. */
  readonly name: string
  /** The configured chain id. */
  readonly chainId: number
  /**
   * Sends one request and returns the response if the node serves the configured chain.
   *
   * @param path - relative to the base URL, such as `wallet/getblock`
   * @throws {TronNodeError} if the node does not respond in time, returns no JSON object, or is overloaded
   * @throws {WrongChainError} if the node serves another chain
   */
  readonly ask: (path: string, body: object) => Promise<TronResponse>
  /**
   * Sends a request about a transaction's effects or a whole block. The response may be larger (`MAX_LONG_BYTES`),
   * because the senders of transactions determine its size.
   */
  readonly askLong: (path: string, body: object) => Promise<TronResponse>
  /** Sends a request whose response is a list, up to `MAX_LONG_BYTES`. */
  readonly askList: (path: string, body: object) => Promise<readonly TronResponse[]>
}

/** Thrown if a node could not be queried, or its response is unusable. */
export class TronNodeError extends BaseError {
  constructor(node: { readonly name: string }, problem: string) {
    super(`Node ${node.name} ${problem}.`, { name: 'TronNodeError' })
  }
}

/** Thrown if a node's response exceeds the size limit. */
export class TronResponseTooLargeError extends TronNodeError {}

type Options = {
  /** The configured `/jsonrpc` URL (see `formatNode`), or its parent path. */
  readonly url: string
  readonly chainId: number
  /** Maximum duration of the exchange, and also of the wait for the node's budget before it. */
  readonly timeoutMs: number
  readonly pacing?: Pacing | undefined
  /** Returns a monotonic time in milliseconds; by default, the process's clock. */
  readonly nowMs?: (() => number) | undefined
}

export const TIMEOUT_MS = 5_000

/** Creates a client for each URL, in the same order. Sends no request yet. */
export function createTronNodes({ chainId, rpcUrls, pacerOf }: ChainUrls): readonly TronNode[] {
  return rpcUrls.map((url) =>
    createTronNode({ url, chainId, timeoutMs: TIMEOUT_MS, pacing: toPacing({ pacerOf }, url) }),
  )
}

/**
 * Maximum size of an ordinary response. The largest are a simulated distribution with its logs, and the chain's
 * parameters, with about 20 kB each.
 */
const MAX_BYTES = 512 * 1024
/**
 * Maximum size of a response about a whole block: fifty times the size of a full block on mainnet, which has about 300
 * transactions with a kilobyte of effects each. Senders can log more if they pay for the energy. Because of this size,
 * only a few such requests may run concurrently.
 */
const MAX_LONG_BYTES = 16 * 1024 * 1024
const MAX_TEXT = 200

/**
 * Creates the client of one node's HTTP API, which reports errors as texts without codes.
 *
 * The client checks the node's chain before it returns a response. A chain is identified by the last four bytes of its
 * first block's id, which `eth_chainId` returns as well (java-tron, `TronJsonRpcImpl.ethChainId`).
 */
export function createTronNode(options: Options): TronNode {
  const { chainId, timeoutMs, nowMs, pacing = UNPACED } = options
  const { url, headers } = parseNode(options.url)
  const base = url.replace(/\/(jsonrpc\/?)?$/, '')
  const node = { name: new URL(base).host }
  const target = (path: string) => ({
    ...node,
    url: `${base}/${path}`,
    headers,
    timeoutMs,
    pacing,
    maxBytes: MAX_BYTES,
  })
  const send = (path: string, body: object) => post(target(path), body)
  const identity = createChainIdGuard({
    ...{ url: base, chainId, nowMs },
    readChainId: async () => parseChainId(node, await send('wallet/getblockbynum', { num: 0 })),
  })
  return {
    ...{ ...node, chainId },
    ask: (path, body) => identity.believe(() => send(path, body)),
    askLong: (path, body) =>
      identity.believe(() => post({ ...target(path), maxBytes: MAX_LONG_BYTES }, body)),
    askList: (path, body) =>
      identity.believe(() => postForList({ ...target(path), maxBytes: MAX_LONG_BYTES }, body)),
  }
}

function parseChainId(node: { readonly name: string }, { blockID: id }: TronResponse): number {
  if (typeof id !== 'string' || !/^[0-9a-f]{64}$/.test(id))
    throw new TronNodeError(node, 'has no first block')
  return Number.parseInt(id.slice(-8), 16)
}

type Target = NodeEndpoint & {
  readonly name: string
  readonly timeoutMs: number
  readonly pacing: Pacing
  readonly maxBytes: number
}

function postForList(target: Target, body: object): Promise<readonly TronResponse[]> {
  return paced(target, () => exchangeForList(target, body))
}

async function exchangeForList(target: Target, body: object): Promise<readonly TronResponse[]> {
  const answer = parse(target, await read(target, JSON.stringify(body)))
  if (!Array.isArray(answer)) return throwNoList(target, answer)
  if (answer.every(isObject)) return answer
  throw new TronNodeError(target, 'returned a list with an item that is not an object')
}

function post(target: Target, body: object): Promise<TronResponse> {
  return paced(target, () => exchange(target, body))
}

function paced<Answer>({ pacing, timeoutMs }: Target, send: () => Promise<Answer>): Promise<Answer> {
  return sendPaced(pacing, { maxWaitMs: timeoutMs, send })
}

async function exchange(target: Target, body: object): Promise<TronResponse> {
  const answer = parse(target, await read(target, JSON.stringify(body)))
  if (isObject(answer)) return requireNoError(target, answer)
  throw new TronNodeError(target, 'returned no object')
}

function throwNoList(target: Target, answer: unknown): never {
  if (isObject(answer)) requireNoError(target, answer)
  throw new TronNodeError(target, 'returned no list')
}

function requireNoError(target: Target, answer: TronResponse): TronResponse {
  // The node reports its own errors with HTTP 200: a request limit, an invalid parameter, or an internal error.
  const { Error: problem } = answer
  if (problem === undefined) return answer
  const text = typeof problem === 'string' ? problem : 'without a reason'
  const refused = `refused: ${redactHeaders(text, target).slice(0, MAX_TEXT)}`
  throw markThrottle(new TronNodeError(target, refused), readRpcThrottle(text))
}

async function read(target: Target, body: string): Promise<string> {
  const { url, timeoutMs } = target
  const signal = AbortSignal.timeout(timeoutMs)
  // The headers must reach only this node, so a redirect is a failure.
  const headers = { ...target.headers, 'content-type': 'application/json', accept: 'application/json' }
  let response: Response
  let text: string
  try {
    response = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'error' })
    text = await readBounded(response, target, signal)
  } catch (error) {
    if (error instanceof TronResponseTooLargeError) throw error
    // undici's error may quote the URL with its key, so its text is not used.
    throw new TronNodeError(
      target,
      signal.aborted ? `did not respond within ${timeoutMs} ms` : 'could not be reached',
    )
  }
  if (!response.ok) {
    const { status, headers } = response
    const failure = new TronNodeError(target, `responded with status ${status}`)
    throw markThrottle(failure, readHttpThrottle({ status, text, headers }, new Date()))
  }
  return text
}

/**
 * Reads the body up to the limit. Leaving the loop cancels the rest. If the timeout expires after more than `MAX_BYTES`
 * have arrived, the body counts as too large, because a retry would have the same result.
 *
 * @throws {TronResponseTooLargeError} if the response exceeds the limit
 */
async function readBounded({ body }: Response, target: Target, signal: AbortSignal): Promise<string> {
  const { maxBytes, timeoutMs } = target
  const chunks: Uint8Array[] = []
  let bytes = 0
  try {
    for await (const chunk of body ?? []) {
      bytes += chunk.length
      if (bytes > maxBytes)
        throw new TronResponseTooLargeError(target, `returned more than ${maxBytes} bytes`)
      chunks.push(chunk)
    }
  } catch (error) {
    if (error instanceof TronResponseTooLargeError || !signal.aborted || bytes <= MAX_BYTES) throw error
    throw new TronResponseTooLargeError(
      target,
      `sent ${bytes} bytes in ${timeoutMs} ms without completing the response`,
    )
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parse(target: Target, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new TronNodeError(target, 'returned no JSON')
  }
}

function isObject(value: unknown): value is TronResponse {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
