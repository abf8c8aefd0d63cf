import type { Hex } from '../../domain/address.ts'
import type { PlacedLog, PlacedReceipt } from '../receipts.ts'
import { fieldsOf, isSuccess, outcomeOf, readSolidHead, readSolidOutcome } from './read-tron.ts'
import { type TronAnswer, type TronNode, TronNodeError } from './tron-node.ts'

/**
 * Reads what the successful transactions of a solid block did, as `/walletsolidity` tells it, with the place that
 * `/jsonrpc` gives each of their logs; all of them, or those that are wanted. One request, and another if there are any.
 *
 * The caller knows that the block is solid there: of any other the node answers that nothing is in it.
 */
export async function readSolidBlock(
  node: TronNode,
  number: number,
  isWanted: (log: PlacedLog) => boolean = () => true,
): Promise<readonly PlacedReceipt[]> {
  const infos = await node.askList('walletsolidity/gettransactioninfobyblocknum', { num: number })
  requireDistinct(node, infos)
  let logIndex = 0
  const receipts = infos.flatMap((info) => {
    const { id, blockNumber } = info
    if (!isHash(id) || blockNumber !== number) throw new TronNodeError(node, 'answered of another block')
    const logs = logsOf(info).map((log) => readLog(node, { log, logIndex: logIndex++ }))
    const wanted = logs.filter(isWanted)
    return isSuccess(info) && wanted.length > 0 ? [{ txHash: `0x${id}` as const, logs: wanted }] : []
  })
  if (receipts.length === 0) return []
  const { id: blockHash, timestampMs } = await readSolidHead(node, number)
  const block = { blockNumber: number, blockHash, blockTimestamp: Math.floor(timestampMs / 1000) }
  return receipts.map((receipt) => ({ ...receipt, ...block }))
}

/** A transaction that is told of twice would have paid twice. */
function requireDistinct(node: TronNode, infos: readonly TronAnswer[]): void {
  if (new Set(infos.map(({ id }) => id)).size !== infos.length)
    throw new TronNodeError(node, 'told of a transaction twice')
}

/** Reads what a transaction of a solid block did; `null` if no solid block has it, or it failed. */
export async function readSolidReceipt(node: TronNode, txHash: Hex): Promise<PlacedReceipt | null> {
  const outcome = await readSolidOutcome(node, txHash)
  if (outcome === null) return null
  const receipts = await readSolidBlock(node, outcome.blockNumber)
  return receipts.find((receipt) => receipt.txHash === txHash) ?? null
}

/** What a transaction of a solid block did, without where its logs stand in that. */
export type SolidLogs = { readonly blockNumber: number; readonly logs: readonly PlacedLog[] }

/** Reads what a transaction of a solid block did by itself, its logs counted from 0; `null` if none has it, or it failed. */
export async function readSolidLogs(node: TronNode, txHash: Hex): Promise<SolidLogs | null> {
  const info = await node.askLong('walletsolidity/gettransactioninfobyid', { value: txHash.slice(2) })
  const outcome = outcomeOf(node, txHash, info)
  if (outcome === null || !outcome.isSuccess) return null
  const logs = logsOf(info).map((log, logIndex) => readLog(node, { log, logIndex }))
  return { blockNumber: outcome.blockNumber, logs }
}

/** None at all of what did nothing. */
function logsOf({ log }: TronAnswer): readonly unknown[] {
  return Array.isArray(log) ? log : []
}

/** Bytes without 0x; an address without 41, as the virtual machine has it. */
function readLog(
  node: TronNode,
  { log, logIndex }: { readonly log: unknown; readonly logIndex: number },
): PlacedLog {
  const { address, topics = [], data = '' } = fieldsOf(log)
  const emitter = String(address).toLowerCase()
  const words = Array.isArray(topics) ? topics : []
  if (!/^[0-9a-f]{40}$/.test(emitter) || !isBytes(data) || !words.every(isHash))
    throw new TronNodeError(node, 'answered a log that is none')
  const [first, ...others] = words.map((word) => `0x${word}` as const)
  return {
    ...{ address: `0x${emitter}` as const, data: `0x${data}` as const, logIndex },
    topics: first === undefined ? [] : [first, ...others],
  }
}

/** In lower case alone: the same in another case would be another transaction, which pays once more. */
function isHash(text: unknown): text is string {
  return typeof text === 'string' && /^[0-9a-f]{64}$/.test(text)
}

function isBytes(text: unknown): text is string {
  return typeof text === 'string' && text.length % 2 === 0 && /^[0-9a-f]*$/.test(text)
}
