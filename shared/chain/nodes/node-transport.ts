import { createTransport, TimeoutError, type Transport } from 'viem'
import { getHttpRpcClient, getWebSocketRpcClient } from 'viem/utils'
import { type NodeEndpoint, parseNode, redactHeaders } from '../../domain/node-endpoint.ts'
import { isChainError } from './fallback-transport.ts'
import { InvalidResponseError, rpcError, truncateError } from './node-errors.ts'
import { parseResult, type RpcCall } from './parse-response.ts'
import { type ChainIdCheck, createChainIdGuard } from './verify-chain-id.ts'

/** One node of a chain and its request options. */
export type NodeOptions = {
  /** http, https, ws or wss; may contain a key, and headers as formatted by `formatNode`. */
  readonly url: string
  readonly chainId: number
  readonly timeoutMs: number
  readonly onVerdict?: ((verdict: ChainIdCheck) => void) | undefined
  /** Returns a monotonic time in milliseconds; the process's clock by default. */
  readonly nowMs?: (() => number) | undefined
}

/**
 * Creates the transport to one node. It sends one request per call and returns responses only while the node serves the
 * configured chain.
 *
 * The transport trusts no response before it has read the chain id from this node (see `createChainIdGuard`), treats a
 * response without a usable result as a failure of the node, and truncates the node's error texts to 2 kB. Fallback to
 * other nodes and retries are implemented above it, in `createFallbackTransport`.
 */
export function nodeTransport(node: NodeOptions): Transport<'node'> {
  const ask = (call: RpcCall) => requestNode(node, call)
  // Per node and not per transport instance, because viem creates an instance for each client.
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

/**
 * Reads the chain id that a node reports, without verification; for commands that do not know which chain to expect.
 */
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

/** Returns a revert as a result, because it is not a failure after which the node must be verified again. */
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

async function requestNode(node: Omit<NodeOptions, 'chainId'>, call: RpcCall): Promise<unknown> {
  const address = parseNode(node.url)
  const { error, result } = Object(await send(node, { call, address })) as {
    error?: unknown
    result?: unknown
  }
  if (error !== undefined && error !== null)
    throw rpcError(withoutSecrets(error, address), { ...call, url: address.url })
  try {
    return parseResult(call, result)
  } catch {
    // The error quotes the unusable result.
    return parseResult(call, withoutSecrets(result, address))
  }
}

type NodeRequest = { readonly call: RpcCall; readonly address: NodeEndpoint }

async function send(
  { timeoutMs }: Omit<NodeOptions, 'chainId'>,
  { call: { method, params }, address }: NodeRequest,
): Promise<unknown> {
  const { url } = address
  const body = { method, params }
  try {
    if (!url.startsWith('ws')) return await post({ address, timeoutMs, body })
    const socket = await getWebSocketRpcClient(url)
    return await socket.requestAsync({ body, timeout: timeoutMs })
  } catch (failure) {
    throw truncateError(failure, address)
  }
}

type Post = { readonly address: NodeEndpoint; readonly timeoutMs: number; readonly body: RpcCall }

/**
 * Limits the whole exchange. viem's own timeout ends with the headers, and a node may stall while it sends the body.
 */
async function post({ address: { url, headers }, timeoutMs, body }: Post) {
  const bound = new AbortController()
  const timer = setTimeout(() => bound.abort(new TimeoutError({ body, url })), timeoutMs)
  // The headers must only reach this node, so a redirect of a request with headers is a failure.
  const own = Object.keys(headers).length === 0 ? {} : { headers, redirect: 'error' as const }
  try {
    const fetchOptions = { ...own, signal: bound.signal }
    return await getHttpRpcClient(url).request({ body, timeout: 0, fetchOptions })
  } finally {
    clearTimeout(timer)
  }
}

/** A node may repeat the headers it received. */
function withoutSecrets(value: unknown, address: NodeEndpoint): unknown {
  if (value === undefined) return value
  return JSON.parse(redactHeaders(JSON.stringify(value), address)) as unknown
}
