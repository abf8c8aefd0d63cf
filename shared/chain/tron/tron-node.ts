import { BaseError } from 'viem'
import { type NodeAddress, readNode, withoutHeaders } from '../../domain/node-address.ts'
import { createNodeIdentity } from '../node-identity.ts'

/** What a node of TRON answers at its HTTP API: an object whose fields nobody has looked at. */
export type TronAnswer = Readonly<Record<string, unknown>>

/** One node of TRON, asked at `/wallet` and `/walletsolidity`. */
export type TronNode = {
  /** Its host alone, for the rest of the URL may carry a key. */
  readonly name: string
  /** The chain that it is to serve. */
  readonly chainId: number
  /**
   * Asks once, and answers while the node serves its chain.
   *
   * @param path - below the base URL: `wallet/getblock`
   * @throws {TronNodeError} if it did not answer in time, or no JSON object, or that it is out of breath
   * @throws {ForeignNodeError} if it serves another chain
   */
  readonly ask: (path: string, body: object) => Promise<TronAnswer>
  /** The same of what a transaction did, which is as long as who paid for it wanted. */
  readonly askLong: (path: string, body: object) => Promise<TronAnswer>
  /** The same of what answers a list; of a whole block that is long. */
  readonly askList: (path: string, body: object) => Promise<readonly TronAnswer[]>
}

/** A node could not be asked, or what it answered is of no use. */
export class TronNodeError extends BaseError {
  constructor(node: { readonly name: string }, problem: string) {
    super(`Node ${node.name} ${problem}.`, { name: 'TronNodeError' })
  }
}

/** A node answered more than we take of it at once. */
export class TronAnswerTooLongError extends TronNodeError {}

type Options = {
  /** Of `/jsonrpc`, as it is configured (see `writeNode`), or of what stands above it. */
  readonly url: string
  readonly chainId: number
  readonly timeoutMs: number
  /** Milliseconds that only grow; of the process by default. */
  readonly nowMs?: (() => number) | undefined
}

/** After this long a node is given up for the moment. */
export const TIMEOUT_MS = 5_000

/** Makes a client for each node of a deployment, in its order; it makes no request yet. */
export function createTronNodes({
  chainId,
  rpcUrls,
}: {
  readonly chainId: number
  readonly rpcUrls: readonly string[]
}): readonly TronNode[] {
  return rpcUrls.map((url) => createTronNode({ url, chainId, timeoutMs: TIMEOUT_MS }))
}

/** A simulated distribution with its logs has some 20 kB; the parameters of the chain as much. */
const MAX_BYTES = 512 * 1024
/**
 * What the transactions of a full block did: some 300 of mainnet's, a kilobyte each. Who pays for the energy can log more;
 * with room for fifty times that, few are asked for at once.
 */
const MAX_LONG_BYTES = 16 * 1024 * 1024
const MAX_TEXT = 200

/**
 * Makes the client of one node's HTTP API, which knows no errors but texts.
 *
 * It believes nothing before it has read from this very node which chain it serves: the last four bytes of the first
 * block's id, which is what `eth_chainId` answers, too (java-tron, `TronJsonRpcImpl.ethChainId`).
 */
export function createTronNode(options: Options): TronNode {
  const { chainId, timeoutMs, nowMs } = options
  const { url, headers } = readNode(options.url)
  const base = url.replace(/\/(jsonrpc\/?)?$/, '')
  const node = { name: new URL(base).host }
  const target = (path: string) => ({
    ...node,
    url: `${base}/${path}`,
    headers,
    timeoutMs,
    maxBytes: MAX_BYTES,
  })
  const send = (path: string, body: object) => post(target(path), body)
  const identity = createNodeIdentity({
    ...{ url: base, chainId, nowMs },
    readChainId: async () => chainIdOf(node, await send('wallet/getblockbynum', { num: 0 })),
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

function chainIdOf(node: { readonly name: string }, { blockID: id }: TronAnswer): number {
  if (typeof id !== 'string' || !/^[0-9a-f]{64}$/.test(id))
    throw new TronNodeError(node, 'has no first block')
  return Number.parseInt(id.slice(-8), 16)
}

type Target = NodeAddress & { readonly name: string; readonly timeoutMs: number; readonly maxBytes: number }

async function postForList(target: Target, body: object): Promise<readonly TronAnswer[]> {
  const answer = parse(target, await read(target, JSON.stringify(body)))
  if (!Array.isArray(answer)) return refuseObject(target, answer)
  if (answer.every(isObject)) return answer
  throw new TronNodeError(target, 'answered a list of something else than objects')
}

async function post(target: Target, body: object): Promise<TronAnswer> {
  const answer = parse(target, await read(target, JSON.stringify(body)))
  if (isObject(answer)) return believed(target, answer)
  throw new TronNodeError(target, 'answered no object')
}

function refuseObject(target: Target, answer: unknown): never {
  if (isObject(answer)) believed(target, answer)
  throw new TronNodeError(target, 'answered no list')
}

function believed(target: Target, answer: TronAnswer): TronAnswer {
  // With HTTP 200, whatever it is: a limit of requests, a parameter that it does not take, a fault of its own.
  const { Error: problem } = answer
  if (problem === undefined) return answer
  const text = typeof problem === 'string' ? problem : 'without a word'
  throw new TronNodeError(target, `refused: ${withoutHeaders(text, target).slice(0, MAX_TEXT)}`)
}

async function read(target: Target, body: string): Promise<string> {
  const { url, timeoutMs } = target
  const signal = AbortSignal.timeout(timeoutMs)
  // Its own headers go nowhere else: a redirection is a failure.
  const headers = { ...target.headers, 'content-type': 'application/json', accept: 'application/json' }
  let response: Response
  let text: string
  try {
    response = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'error' })
    text = await readBounded(response, target, signal)
  } catch (error) {
    if (error instanceof TronAnswerTooLongError) throw error
    // What undici says of it may quote the URL; that it was late or not is what matters.
    throw new TronNodeError(
      target,
      signal.aborted ? `did not answer in ${timeoutMs} ms` : 'could not be asked',
    )
  }
  if (!response.ok) throw new TronNodeError(target, `answered ${response.status}`)
  return text
}

/**
 * Leaving the loop cancels the rest. What has come in part when the time is over is too long, too: it would be so again.
 *
 * @throws {TronAnswerTooLongError} for more than we take
 */
async function readBounded({ body }: Response, target: Target, signal: AbortSignal): Promise<string> {
  const { maxBytes, timeoutMs } = target
  const chunks: Uint8Array[] = []
  let bytes = 0
  try {
    for await (const chunk of body ?? []) {
      bytes += chunk.length
      if (bytes > maxBytes) throw new TronAnswerTooLongError(target, `answered more than ${maxBytes} bytes`)
      chunks.push(chunk)
    }
  } catch (error) {
    if (error instanceof TronAnswerTooLongError || !signal.aborted || bytes <= MAX_BYTES) throw error
    throw new TronAnswerTooLongError(target, `sent ${bytes} bytes in ${timeoutMs} ms, and there are more`)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parse(target: Target, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new TronNodeError(target, 'answered no JSON')
  }
}

function isObject(value: unknown): value is TronAnswer {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
