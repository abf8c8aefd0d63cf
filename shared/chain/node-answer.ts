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

/** Answered with a number always: hex digits, one at least. */
const NUMBER_METHODS = new Set([
  ...['eth_chainId', 'eth_blockNumber', 'eth_gasPrice', 'eth_maxPriorityFeePerGas', 'eth_estimateGas'],
  ...['eth_getBalance', 'eth_getTransactionCount'],
])

/** Answered with bytes always, be it none. */
const BYTES_METHODS = new Set([...['eth_getCode', 'eth_getStorageAt', 'eth_call', 'eth_sendRawTransaction']])

/** Answered with `null` for what the chain does not have. */
const NULL_METHODS = new Set([...['eth_getBlockByHash', 'eth_getTransactionByHash']])

function hasForm({ method, params }: RpcCall, result: unknown): boolean {
  if (NUMBER_METHODS.has(method)) return isNumber(result)
  if (BYTES_METHODS.has(method)) return isBytes(result)
  if (method === 'eth_getLogs') return isLogs(result)
  if (method === 'eth_getTransactionReceipt') return result === null || isReceipt(result)
  if (method === 'eth_getBlockByNumber') {
    // Every chain has a last block; it may not have the one of a number.
    return isObject(result) || (result === null && String(Object(params)[0]).startsWith('0x'))
  }
  if (NULL_METHODS.has(method)) return result === null || isObject(result)
  return result !== undefined && result !== null
}

type Fields = Readonly<Record<string, unknown>>

/** In the fields that we read, and no others. */
function isReceipt(value: unknown): boolean {
  if (!isObject(value)) return false
  const { transactionHash, blockHash, blockNumber, logs } = value
  return isBytes(transactionHash) && isBytes(blockHash) && isNumber(blockNumber) && isLogs(logs)
}

function isLogs(value: unknown): boolean {
  return Array.isArray(value) && value.every(isLog)
}

/** One of a block that is not mined yet has neither transaction nor place. */
function isLog(value: unknown): boolean {
  if (!isObject(value)) return false
  const { address, topics, data, transactionHash } = value
  const isPlaced = transactionHash === null || isBytes(transactionHash)
  return isBytes(address) && Array.isArray(topics) && topics.every(isBytes) && isBytes(data) && isPlaced
}

function isNumber(value: unknown): boolean {
  return value !== '0x' && isBytes(value)
}

function isBytes(value: unknown): boolean {
  return typeof value === 'string' && /^0x[0-9a-f]*$/i.test(value)
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
