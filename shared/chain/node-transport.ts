import { createTransport, TimeoutError, type Transport } from 'viem'
import { getHttpRpcClient, getWebSocketRpcClient } from 'viem/utils'
import { type NodeAddress, readNode, withoutHeaders } from '../domain/node-address.ts'
import { isAnswerOfChain } from './ask-in-turn.ts'
import { type RpcCall, readResult } from './node-answer.ts'
import { boundFailure, rpcError, UnusableAnswerError } from './node-errors.ts'
import { createNodeIdentity, type NodeVerdict } from './node-identity.ts'

/** One node of a chain, and how it is asked. */
export type NodeOptions = {
  /** http, https, ws or wss; it may carry a key, and headers as `writeNode` writes them. */
  readonly url: string
  readonly chainId: number
  readonly timeoutMs: number
  readonly onVerdict?: ((verdict: NodeVerdict) => void) | undefined
  /** Milliseconds that only grow; of the process by default. */
  readonly nowMs?: (() => number) | undefined
}

/**
 * Makes the transport to one node: one request for each call, answered only while the node serves its chain.
 *
 * It believes no answer before it has read the chain id from this node (see `createNodeIdentity`), takes an answer
 * without a usable result for a failure of the node, and cuts what the node wrote in an error to 2 kB. Whoever asks
 * the next node, or again, is above it: see `askInTurn`.
 */
export function nodeTransport(node: NodeOptions): Transport<'node'> {
  const ask = (call: RpcCall) => askNode(node, call)
  // Of the node and not of the transport's instances: viem makes one for each client.
  const identity = createNodeIdentity({ ...node, readChainId: () => readChainId(ask) })
  return () =>
    createTransport({
      key: 'node',
      name: 'Node',
      type: 'node',
      request: async (call: RpcCall) => {
        const answer = await identity.believe(() => askKeepingReverts(ask, call))
        if (answer instanceof Error) throw answer
        return answer as never
      },
      retryCount: 0,
    })
}

/** Asks a node which chain it serves, by its own word alone; for a tool that is not told which chain to expect. */
export function readServedChainId(node: Omit<NodeOptions, 'chainId'>): Promise<number> {
  return readChainId((call) => askNode(node, call))
}

async function readChainId(ask: (call: RpcCall) => Promise<unknown>): Promise<number> {
  const call = { method: 'eth_chainId' }
  const answer = await ask(call)
  const chainId = Number(answer)
  if (!Number.isSafeInteger(chainId)) throw new UnusableAnswerError({ ...call, answer })
  return chainId
}

/** That a call reverts is an answer, and no failure after which the node would have to be verified again. */
async function askKeepingReverts(ask: (call: RpcCall) => Promise<unknown>, call: RpcCall): Promise<unknown> {
  try {
    return await ask(call)
  } catch (error) {
    if (isAnswerOfChain(error)) return error
    throw error
  }
}

async function askNode(node: Omit<NodeOptions, 'chainId'>, call: RpcCall): Promise<unknown> {
  const address = readNode(node.url)
  const { error, result } = Object(await send(node, { call, address })) as {
    error?: unknown
    result?: unknown
  }
  if (error !== undefined && error !== null)
    throw rpcError(withoutSecrets(error, address), { ...call, url: address.url })
  try {
    return readResult(call, result)
  } catch {
    // What it cannot use, it quotes.
    return readResult(call, withoutSecrets(result, address))
  }
}

type Asking = { readonly call: RpcCall; readonly address: NodeAddress }

async function send(
  { timeoutMs }: Omit<NodeOptions, 'chainId'>,
  { call: { method, params }, address }: Asking,
): Promise<unknown> {
  const { url } = address
  const body = { method, params }
  try {
    if (!url.startsWith('ws')) return await post({ address, timeoutMs, body })
    const socket = await getWebSocketRpcClient(url)
    return await socket.requestAsync({ body, timeout: timeoutMs })
  } catch (failure) {
    throw boundFailure(failure, address)
  }
}

type Post = { readonly address: NodeAddress; readonly timeoutMs: number; readonly body: RpcCall }

/** Bounds the whole exchange: viem's own time-out ends with the headers, and a node may stall in mid-body. */
async function post({ address: { url, headers }, timeoutMs, body }: Post) {
  const bound = new AbortController()
  const timer = setTimeout(() => bound.abort(new TimeoutError({ body, url })), timeoutMs)
  // Elsewhere than to this very node its headers do not go: a redirection of such a request is a failure.
  const own = Object.keys(headers).length === 0 ? {} : { headers, redirect: 'error' as const }
  try {
    const fetchOptions = { ...own, signal: bound.signal }
    return await getHttpRpcClient(url).request({ body, timeout: 0, fetchOptions })
  } finally {
    clearTimeout(timer)
  }
}

/** A node may repeat what it was sent. */
function withoutSecrets(value: unknown, address: NodeAddress): unknown {
  if (value === undefined) return value
  return JSON.parse(withoutHeaders(JSON.stringify(value), address)) as unknown
}
