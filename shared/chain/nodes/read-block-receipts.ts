import type { Hex } from '../../domain/address.ts'
import type { RpcHeader } from '../../domain/evidence/encode-header.ts'
import type { RpcReceipt } from '../../domain/evidence/encode-receipt.ts'
import type { ChainClient } from './client.ts'

export type BlockReceipt = RpcReceipt & { readonly transactionHash: Hex }

/** Maximum receipts of a block, above the number in any block of the supported networks. */
const MAX_RECEIPTS = 20_000
/** Maximum logs of a block, and maximum bytes of their data and topics, so that a node cannot fill the memory. */
const MAX_LOGS = 200_000
const MAX_DATA_BYTES = 32 * 1024 * 1024

/**
 * Reads the header of a block by its hash.
 *
 * @returns `null` if the node does not have the block
 * @throws {BaseError} from viem if the node does not respond
 */
export async function readBlockHeader(client: ChainClient, hash: Hex): Promise<RpcHeader | null> {
  const header = await request(client, 'eth_getBlockByHash', [hash, false])
  return typeof header === 'object' ? (header as RpcHeader | null) : null
}

/**
 * Reads all receipts of a block by its hash. Validates only their form.
 *
 * @returns `null` if the receipts are malformed or exceed the limits
 * @throws {BaseError} from viem if the node does not respond or does not support the request
 */
export async function readBlockReceipts(
  client: ChainClient,
  hash: Hex,
): Promise<readonly BlockReceipt[] | null> {
  const receipts = await request(client, 'eth_getBlockReceipts', [hash])
  return isReceiptList(receipts) ? receipts : null
}

function request(client: ChainClient, method: string, params: readonly unknown[]): Promise<unknown> {
  return (client.request as (call: object) => Promise<unknown>)({ method, params })
}

function isReceiptList(value: unknown): value is readonly BlockReceipt[] {
  if (!Array.isArray(value) || value.length > MAX_RECEIPTS || !value.every(isReceipt)) return false
  const logs = value.flatMap((receipt) => receipt.logs)
  const bytes = logs.reduce((sum, { data, topics }) => sum + data.length / 2 + 32 * topics.length, 0)
  return logs.length <= MAX_LOGS && bytes <= MAX_DATA_BYTES
}

function isReceipt(value: unknown): value is BlockReceipt {
  const { transactionHash, type, status, cumulativeGasUsed, logsBloom, logs, ...rest } = Object(
    value,
  ) as Record<string, unknown>
  const { depositNonce, depositReceiptVersion } = rest
  const numbers = [
    type ?? '0x0',
    status,
    cumulativeGasUsed,
    depositNonce ?? '0x0',
    depositReceiptVersion ?? '0x0',
  ]
  return (
    isBytes(transactionHash, 32) &&
    isBytes(logsBloom, 256) &&
    numbers.every(isNumber) &&
    Number(type ?? 0) <= MAX_TYPE &&
    Array.isArray(logs) &&
    logs.every(isLog)
  )
}

/**
 * Highest transaction type. In an encoded receipt, a higher first byte starts the list of a receipt without a type
 * (EIP-2718).
 */
const MAX_TYPE = 0x7f

function isLog(value: unknown): boolean {
  const { address, topics, data } = Object(value) as Record<string, unknown>
  const areTopics = Array.isArray(topics) && topics.length <= 4 && topics.every((topic) => isBytes(topic, 32))
  return (
    isBytes(address, 20) &&
    areTopics &&
    typeof data === 'string' &&
    data.length % 2 === 0 &&
    /^0x[0-9a-f]*$/i.test(data)
  )
}

function isBytes(value: unknown, length: number): boolean {
  return typeof value === 'string' && value.length === 2 + 2 * length && /^0x[0-9a-f]+$/i.test(value)
}

function isNumber(value: unknown): boolean {
  return typeof value === 'string' && /^0x[0-9a-f]{1,64}$/i.test(value)
}
