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
  const effects = await readInfos(node, number)
  const receipts = effects.flatMap(({ txHash, isFailed, logs }) => {
    const wanted = logs.filter(isWanted)
    return !isFailed && wanted.length > 0 ? [{ txHash, logs: wanted }] : []
  })
  if (receipts.length === 0) return []
  const block = await readPlace(node, number)
  return receipts.map((receipt) => ({ ...receipt, ...block }))
}

type SolidEffects = Pick<PlacedReceipt, 'txHash' | 'logs'> & { readonly isFailed: boolean }

async function readInfos(node: TronNode, number: number): Promise<readonly SolidEffects[]> {
  const infos = await node.askList('walletsolidity/gettransactioninfobyblocknum', { num: number })
  requireDistinct(node, infos)
  let logIndex = 0
  return infos.map((info) => {
    const { id, blockNumber } = info
    if (!isHash(id) || blockNumber !== number) throw new TronNodeError(node, 'answered of another block')
    const logs = logsOf(info).map((log) => readLog(node, { log, logIndex: logIndex++ }))
    return { txHash: `0x${id}`, logs, isFailed: isFailed(info) }
  })
}

async function readPlace(node: TronNode, number: number) {
  const { id: blockHash, timestampMs } = await readSolidHead(node, number)
  return { blockNumber: number, blockHash, blockTimestamp: Math.floor(timestampMs / 1000) }
}

/** A transfer of TRX is no call, so it has no result; `/jsonrpc` shows it as a success. */
function isFailed(info: TronAnswer): boolean {
  const { result = 'SUCCESS' } = fieldsOf(info['receipt'])
  return !isSuccess({ ...info, receipt: { result } })
}

/** A transaction that is told of twice would have paid twice. */
function requireDistinct(node: TronNode, infos: readonly TronAnswer[]): void {
  if (new Set(infos.map(({ id }) => id)).size !== infos.length)
    throw new TronNodeError(node, 'told of a transaction twice')
}

/** What a transaction did; `null` if no solid block has it. A success may have no logs. */
export type SolidReceipt = PlacedReceipt | 'failed' | null

/** Reads what a transaction of a solid block did. */
export async function readSolidReceipt(node: TronNode, txHash: Hex): Promise<SolidReceipt> {
  const outcome = await readSolidOutcome(node, txHash)
  if (outcome === null) return null
  const infos = await readInfos(node, outcome.blockNumber)
  const effects = infos.find((one) => one.txHash === txHash)
  if (effects === undefined) throw new TronNodeError(node, 'shows a transaction that its block does not have')
  if (effects.isFailed) return 'failed'
  return { txHash, logs: effects.logs, ...(await readPlace(node, outcome.blockNumber)) }
}

/** What a transaction of a solid block did, without where its logs stand in that. */
export type SolidLogs = { readonly blockNumber: number; readonly logs: readonly PlacedLog[] }

/** Reads what a transaction of a solid block did by itself, its logs counted from 0; `null` if no solid block has it. */
export async function readSolidLogs(node: TronNode, txHash: Hex): Promise<SolidLogs | 'failed' | null> {
  const info = await node.askLong('walletsolidity/gettransactioninfobyid', { value: txHash.slice(2) })
  const outcome = outcomeOf(node, txHash, info)
  if (outcome === null) return null
  if (isFailed(info)) return 'failed'
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
