import { createTransport, TimeoutError, type Transport } from 'viem'
import { getHttpRpcClient, getWebSocketRpcClient } from 'viem/utils'
import { type NodeEndpoint, parseNode, redactHeaders } from '../../domain/node-endpoint.ts'
import { type Pacing, type Priority, type Throttle, UNPACED } from '../pacing/pacing.ts'
import { readResponseThrottle } from '../pacing/read-response-throttle.ts'
import { readRpcThrottle } from '../pacing/read-throttle.ts'
import { sendPaced } from '../pacing/send-paced.ts'
import { markThrottle } from '../pacing/throttle.ts'
import { isChainError } from './fallback-transport.ts'
import { InvalidResponseError, rpcError, truncateError } from './node-errors.ts'
import { parseResult, type RpcCall } from './parse-response.ts'
import { type ChainIdCheck, createChainIdGuard } from './verify-chain-id.ts'

export type NodeOptions = {
  /** http, https, ws or wss; may contain a key, and headers as formatted by `formatNode`. */
  readonly url: string
  readonly chainId: number
  /** Maximum duration of the exchange, and of the preceding wait for the node's budget. */
  readonly timeoutMs: number
  /** Maximum size of a response over HTTP; by default viem's limit of 10 MiB. */
  readonly maxResponseBytes?: number | undefined
  readonly pacing?: Pacing | undefined
  /** Returns the priority of a call, if calls have different priorities. */
  readonly priorityOf?: ((call: RpcCall) => Priority) | undefined
  readonly onVerdict?: ((verdict: ChainIdCheck) => void) | undefined
  /** Returns a monotonic time in milliseconds; the process's clock by default. */
  readonly nowMs?: (() => number) | undefined
}

/**
 * Creates the transport to one node. It sends one request per call, and returns responses only while the node serves
 * the configured chain (see `createChainIdGuard`). `createFallbackTransport`, the layer above, implements retries and
 * the fallback to other nodes.
 *
 * A response without a usable result is a failure of the node. Error texts are truncated to 2,000 characters.
 */
export function nodeTransport(node: NodeOptions): Transport<'node'> {
  const ask = (call: RpcCall) => requestNode(node, call)
  // Created per node, not per instance of the transport, because viem creates an instance for each client.
  const identity = createChainIdGuard({ ...node, readChainId: () => readChainId(ask) })
  return () =>
    createTransport({
      key: 'node',
      name: 'Node',
      type: 'node',
      request: async (call: RpcCall) => {
        const answer = await identity.believe(() => requestKeepingReverts(ask, call))
        if (answer instanceof Error) throw answer
        return answer as never
      },
      retryCount: 0,
    })
}

/** Reads the chain id that a node reports. Unlike the transport, accepts any chain id. */
export function readReportedChainId(node: Omit<NodeOptions, 'chainId'>): Promise<number> {
  return readChainId((call) => requestNode(node, call))
}

async function readChainId(ask: (call: RpcCall) => Promise<unknown>): Promise<number> {
  const call = { method: 'eth_chainId' }
  const answer = await ask(call)
  const chainId = Number(answer)
  if (!Number.isSafeInteger(chainId)) throw new InvalidResponseError({ ...call, answer })
  return chainId
}

/** Returns a chain error instead of throwing it, so that the guard does not verify the node again. */
async function requestKeepingReverts(
  ask: (call: RpcCall) => Promise<unknown>,
  call: RpcCall,
): Promise<unknown> {
  try {
    return await ask(call)
  } catch (error) {
    if (isChainError(error)) return error
    throw error
  }
}

function requestNode(node: Omit<NodeOptions, 'chainId'>, call: RpcCall): Promise<unknown> {
  const { pacing = UNPACED, timeoutMs, priorityOf } = node
  const paced = priorityOf === undefined ? pacing : { ...pacing, priority: priorityOf(call) }
  return sendPaced(paced, { maxWaitMs: timeoutMs, send: () => exchange(node, call) })
}

async function exchange(node: Omit<NodeOptions, 'chainId'>, call: RpcCall): Promise<unknown> {
  const demand: Demand = { throttle: null }
  try {
    const { timeoutMs, maxResponseBytes } = node
    return await readAnswer({ call, address: parseNode(node.url), timeoutMs, maxResponseBytes, demand })
  } catch (failure) {
    throw markThrottle(failure, demand.throttle)
  }
}

/** The node's demand for fewer requests, if the response contains such a demand. */
type Demand = { throttle: Throttle | null }

type Exchange = {
  readonly call: RpcCall
  readonly address: NodeEndpoint
  readonly timeoutMs: number
  readonly maxResponseBytes: number | undefined
  readonly demand: Demand
}

async function readAnswer(exchanged: Exchange): Promise<unknown> {
  const { call, address, demand } = exchanged
  // java-tron reports "lack of computing resources" in the field `Error`, with status 200.
  const { error, result, Error: refusal } = Object(await send(exchanged)) as Readonly<Record<string, unknown>>
  demand.throttle ??= readRpcThrottle(error ?? refusal)
  if (error !== undefined && error !== null)
    throw rpcError(withoutSecrets(error, address), { ...call, url: address.url })
  try {
    return parseResult(call, result)
  } catch {
    // The error quotes the result, so our headers are removed from the result.
    return parseResult(call, withoutSecrets(result, address))
  }
}

async function send({ call: { method, params }, ...exchange }: Exchange): Promise<unknown> {
  const { address, timeoutMs } = exchange
  const { url } = address
  const body = { method, params }
  try {
    if (!url.startsWith('ws')) return await post({ ...exchange, body })
    const socket = await getWebSocketRpcClient(url)
    return await socket.requestAsync({ body, timeout: timeoutMs })
  } catch (failure) {
    throw truncateError(failure, address)
  }
}

type Post = Omit<Exchange, 'call'> & { readonly body: RpcCall }

/**
 * Limits the time of the whole exchange. viem's own timeout ends with the headers, but a node may stall while it sends
 * the body.
 */
async function post({ address: { url, headers }, timeoutMs, maxResponseBytes, body, demand }: Post) {
  const bound = new AbortController()
  const timer = setTimeout(() => bound.abort(new TimeoutError({ body, url })), timeoutMs)
  // The headers must reach only this node, so a redirect of a request with headers is a failure.
  const own = Object.keys(headers).length === 0 ? {} : { headers, redirect: 'error' as const }
  try {
    const fetchOptions = { ...own, signal: bound.signal }
    const onResponse = async (response: Response) => {
      demand.throttle = await readResponseThrottle(response)
    }
    const limits = { timeout: 0, maxResponseBodySize: maxResponseBytes }
    return await getHttpRpcClient(url).request({ body, ...limits, fetchOptions, onResponse })
  } finally {
    clearTimeout(timer)
  }
}

/** Removes our headers from an error or a result, because a node may repeat the headers that it received. */
function withoutSecrets(value: unknown, address: NodeEndpoint): unknown {
  if (value === undefined) return value
  return JSON.parse(redactHeaders(JSON.stringify(value), address)) as unknown
}
