import { BaseError, ExecutionRevertedError, HttpRequestError, RpcRequestError, stringify } from 'viem'
import { getHost } from '../../domain/node-config.ts'
import { type NodeEndpoint, redactHeaders } from '../../domain/node-endpoint.ts'

/** Maximum characters of a node's error text. Longer text is truncated, because no other layer limits its length. */
const MAX_NODE_TEXT = 2_000

/** A node reported a chain id that differs from the configured one. */
export class WrongChainError extends BaseError {
  /** The message contains only the host, because a URL may contain a key. */
  constructor(node: { readonly url: string; readonly chainId: number; readonly servedChainId: number }) {
    super(`Node ${getHost(node.url)} serves chain ${node.servedChainId}, not ${node.chainId}.`, {
      name: 'WrongChainError',
    })
  }
}

/** Returns whether a request failed because the node serves another chain. */
export function isWrongChain(error: unknown): boolean {
  return error instanceof BaseError && error.walk((cause) => cause instanceof WrongChainError) !== null
}

/**
 * java-tron's message for a reverted call. The error code does not identify a revert, because all faults share it.
 * Source: java-tron 4.8, TronJsonRpcImpl.call.
 */
const REVERT_ON_TRON = /^REVERT\b/

/**
 * Returns whether the contract reverted the call, which is a valid result. Recognizes the messages of EVM and TRON
 * nodes.
 */
export function hasReverted(error: unknown): boolean {
  const isRevert = (cause: unknown) =>
    cause instanceof ExecutionRevertedError ||
    (cause instanceof RpcRequestError && REVERT_ON_TRON.test(cause.details))
  return error instanceof BaseError && error.walk(isRevert) !== null
}

/**
 * Messages for a call that the EVM halted without a revert: from geth and Erigon (core/vm/errors.go), and from revm
 * (Reth, Anvil), which names the kind of halt.
 */
const HALT =
  /^(out of gas|invalid opcode|stack (underflow|limit reached)|invalid jump destination|gas uint64 overflow|write protection|return data out of bounds|EVM error:? (OutOfGas|InvalidFEOpcode|OpcodeNotFound|StackUnderflow|StackOverflow|InvalidJump))/

/** Returns whether the EVM halted the call, for example because of an invalid opcode or a lack of gas. */
export function hasHalted(error: unknown): boolean {
  const isHalt = (cause: unknown) => cause instanceof RpcRequestError && HALT.test(cause.details)
  return error instanceof BaseError && error.walk(isHalt) !== null
}

/** A node responded without a result, or with an invalid result. */
export class InvalidResponseError extends BaseError {
  constructor({ method, answer }: { readonly method: string; readonly answer: unknown }) {
    super(`Node returned an unusable result for ${method}.`, {
      details: cutNodeText(typeof answer === 'string' ? answer : stringify(answer)),
      name: 'UnusableAnswerError',
    })
  }
}

/** Converts a node's JSON-RPC error in any form to an error with truncated text and data. */
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

/** viem's code for an unknown error. */
const UNKNOWN_ERROR = -1

/**
 * Returns a failure with the node's text truncated and without our headers. If the failure contains neither, returns it
 * unchanged.
 */
export function truncateError(failure: unknown, address: NodeEndpoint): unknown {
  if (!(failure instanceof HttpRequestError)) return failure
  const { status, details } = failure
  const { url, headers } = address
  if (status === undefined && Object.keys(headers).length === 0) return failure
  // The response headers are omitted, so that no code obeys a Retry-After of a year. The cause is omitted, because it
  // may quote the node.
  return new HttpRequestError({
    ...{ details: cutNodeText(redactHeaders(details, address)), url },
    ...(status !== undefined && { status }),
  })
}

/** Truncates revert data, which is hex and may be nested in an object. */
function cutData(data: unknown): unknown {
  if (typeof data === 'string') return cutHex(data)
  const { data: inner } = Object(data) as { data?: unknown }
  return typeof inner === 'string' ? { data: cutHex(inner) } : undefined
}

/** Truncates to whole words, because the data is decoded. Our longest revert is shorter than the limit. */
function cutHex(data: string): string {
  return data.slice(0, 2 + 8 + 31 * 64)
}

function cutNodeText(text: string | undefined): string {
  return (text ?? 'undefined').slice(0, MAX_NODE_TEXT)
}
