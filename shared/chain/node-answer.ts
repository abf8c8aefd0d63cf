import { UnusableAnswerError } from './node-errors.ts'

/** A call as JSON-RPC has it. */
export type RpcCall = { readonly method: string; readonly params?: unknown }

/**
 * Answers a node's result if it has the form of an answer to this call.
 *
 * Looked at in the node's own transport, so that the next node is asked: above it, a missing result became a TypeError
 * and a missing head an error of viem's, and nobody was asked any more.
 *
 * @throws {UnusableAnswerError} with the method and the answer, cut
 */
export function readResult(call: RpcCall, result: unknown): unknown {
  if (hasForm(call, result)) return result
  throw new UnusableAnswerError({ method: call.method, answer: result })
}

/** Answered with hex digits always: a number, bytes, or a hash. */
const HEX_METHODS = new Set([
  ...['eth_chainId', 'eth_blockNumber', 'eth_gasPrice', 'eth_maxPriorityFeePerGas', 'eth_estimateGas'],
  ...['eth_getBalance', 'eth_getTransactionCount', 'eth_getCode', 'eth_getStorageAt', 'eth_call'],
  'eth_sendRawTransaction',
])

/** Answered with `null` for what the chain does not have. */
const NULL_METHODS = new Set([
  ...['eth_getBlockByHash', 'eth_getTransactionByHash', 'eth_getTransactionReceipt'],
])

function hasForm({ method, params }: RpcCall, result: unknown): boolean {
  if (HEX_METHODS.has(method)) return typeof result === 'string' && result.startsWith('0x')
  if (method === 'eth_getLogs') return Array.isArray(result)
  if (method === 'eth_getBlockByNumber') {
    // Every chain has a last block; it may not have the one of a number.
    return isObject(result) || (result === null && String(Object(params)[0]).startsWith('0x'))
  }
  if (NULL_METHODS.has(method)) return result === null || isObject(result)
  return result !== undefined && result !== null
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
