import { InvalidResponseError } from './node-errors.ts'

export type RpcCall = { readonly method: string; readonly params?: unknown }

/**
 * Returns a node's result if it has a valid form for this call.
 *
 * Each node's transport calls this function, so that the next node is tried after an invalid result. When a layer above
 * made the check, an invalid result caused a TypeError or a viem error, and no other node was tried.
 *
 * @throws {InvalidResponseError} with the method and the truncated result
 */
export function parseResult(call: RpcCall, result: unknown): unknown {
  if (hasForm(call, result)) return result
  throw new InvalidResponseError({ method: call.method, answer: result })
}

/** Methods that always return a number: at least one hex digit. */
const NUMBER_METHODS = new Set([
  ...['eth_chainId', 'eth_blockNumber', 'eth_gasPrice', 'eth_maxPriorityFeePerGas', 'eth_estimateGas'],
  ...['eth_getBalance', 'eth_getTransactionCount'],
])

/** Methods that always return bytes, possibly empty. */
const BYTES_METHODS = new Set([...['eth_getCode', 'eth_getStorageAt', 'eth_call', 'eth_sendRawTransaction']])

/** Methods that return `null` for unknown objects. */
const NULL_METHODS = new Set([...['eth_getBlockByHash', 'eth_getTransactionByHash']])

function hasForm({ method, params }: RpcCall, result: unknown): boolean {
  if (NUMBER_METHODS.has(method)) return isNumber(result)
  if (BYTES_METHODS.has(method)) return isBytes(result)
  if (method === 'eth_getLogs') return isLogs(result)
  if (method === 'eth_getTransactionReceipt') return result === null || isReceipt(result)
  if (method === 'eth_getBlockByNumber') {
    // A missing block is valid only if it was requested by number, because every chain has a latest block.
    return isObject(result) || (result === null && String(Object(params)[0]).startsWith('0x'))
  }
  if (NULL_METHODS.has(method)) return result === null || isObject(result)
  return result !== undefined && result !== null
}

type Fields = Readonly<Record<string, unknown>>

function isReceipt(value: unknown): boolean {
  if (!isObject(value)) return false
  const { transactionHash, blockHash, blockNumber, status, from, logs } = value
  const isPlaced = isBytes(transactionHash) && isBytes(blockHash) && isNumber(blockNumber)
  return isPlaced && isNumber(status) && isBytes(from) && isLogs(logs)
}

function isLogs(value: unknown): boolean {
  return Array.isArray(value) && value.every(isLog)
}

/** Returns whether a value is a log. A log of a pending block has neither a transaction nor a position. */
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
