import { BaseError, ExecutionRevertedError, HttpRequestError, RpcRequestError, stringify } from 'viem'
import { type NodeAddress, withoutHeaders } from '../domain/node-address.ts'
import { hostOf } from '../domain/node-config.ts'

/** What a node wrote is cut to so many characters before anything looks at it: nobody else bounds it. */
const MAX_NODE_TEXT = 2_000

/** A node answered another chain's id than the one it is configured for; nothing it says is passed on. */
export class ForeignNodeError extends BaseError {
  /** Names only the host, for an URL may carry a key. */
  constructor(node: { readonly url: string; readonly chainId: number; readonly servedChainId: number }) {
    super(`Node ${hostOf(node.url)} serves chain ${node.servedChainId}, not ${node.chainId}.`, {
      name: 'ForeignNodeError',
    })
  }
}

/** Tells whether a request failed because the node serves another chain. */
export function isForeign(error: unknown): boolean {
  return error instanceof BaseError && error.walk((cause) => cause instanceof ForeignNodeError) !== null
}

/** What java-tron says of a call that reverted, with the code of any fault. Source: java-tron 4.8, TronJsonRpcImpl.call. */
const REVERT_ON_TRON = /^REVERT\b/

/** Tells whether a call failed because the contract reverted, which is an answer; in the words of either family's nodes. */
export function hasReverted(error: unknown): boolean {
  const isRevert = (cause: unknown) =>
    cause instanceof ExecutionRevertedError ||
    (cause instanceof RpcRequestError && REVERT_ON_TRON.test(cause.details))
  return error instanceof BaseError && error.walk(isRevert) !== null
}

/** A node answered without a result, or with one that no node answers to this method. */
export class UnusableAnswerError extends BaseError {
  constructor({ method, answer }: { readonly method: string; readonly answer: unknown }) {
    super(`Node answered ${method} with nothing that can be used.`, {
      details: cutNodeText(typeof answer === 'string' ? answer : stringify(answer)),
      name: 'UnusableAnswerError',
    })
  }
}

/** Makes the error of a JSON-RPC error object, whatever a node put in its place; text and data are cut. */
export function rpcError(error: unknown, call: { readonly method: string; readonly url: string }): BaseError {
  const { code, message, data } = Object(error) as Readonly<Record<string, unknown>>
  return new RpcRequestError({
    body: { method: call.method },
    error: {
      code: Number.isSafeInteger(code) ? Number(code) : UNKNOWN_ERROR,
      message: cutNodeText(typeof message === 'string' ? message : stringify(error)),
      data: cutData(data),
    },
    url: call.url,
  })
}

/** "Unknown error" among viem's codes. */
const UNKNOWN_ERROR = -1

/** Answers the failure with what the node wrote cut, and without our headers; one without such text is answered as it is. */
export function boundFailure(failure: unknown, address: NodeAddress): unknown {
  if (!(failure instanceof HttpRequestError)) return failure
  const { status, details } = failure
  const { url, headers } = address
  if (status === undefined && Object.keys(headers).length === 0) return failure
  // Without its headers: nobody obeys a Retry-After of a year. Without its cause, which may quote the node.
  return new HttpRequestError({
    ...{ details: cutNodeText(withoutHeaders(details, address)), url },
    ...(status !== undefined && { status }),
  })
}

/** Revert data is hex, in the error or in an object of the node's own around it. */
function cutData(data: unknown): unknown {
  if (typeof data === 'string') return cutHex(data)
  const { data: inner } = Object(data) as { data?: unknown }
  return typeof inner === 'string' ? { data: cutHex(inner) } : undefined
}

/** In whole bytes and words, for it is decoded: no revert of ours is longer. */
function cutHex(data: string): string {
  return data.slice(0, 2 + 8 + 31 * 64)
}

function cutNodeText(text: string | undefined): string {
  return (text ?? 'undefined').slice(0, MAX_NODE_TEXT)
}
