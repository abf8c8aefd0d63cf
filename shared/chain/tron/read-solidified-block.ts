import type { Hex } from '../../domain/address.ts'
import type { PositionedLog, PositionedReceipt } from '../nodes/receipts.ts'
import { getObject, isSuccess, parseOutcome, readSolidifiedHead, readSolidifiedOutcome } from './read-tron.ts'
import { type TronNode, TronNodeError, type TronResponse } from './tron-node.ts'

/**
 * Reads the logs of the successful transactions of a solidified block from `/walletsolidity`, either all logs or only
 * the wanted ones. The log indexes equal those of `/jsonrpc`. Sends a second request only if any log is wanted.
 *
 * The caller must have checked that the node has solidified the block; for any other block, the node returns an empty
 * list.
 */
export async function readSolidifiedBlock(
  node: TronNode,
  number: number,
  isWanted: (log: PositionedLog) => boolean = () => true,
): Promise<readonly PositionedReceipt[]> {
  const effects = await readInfos(node, number)
  const receipts = effects.flatMap(({ txHash, isFailed, logs }) => {
    const wanted = logs.filter(isWanted)
    return !isFailed && wanted.length > 0 ? [{ txHash, logs: wanted }] : []
  })
  if (receipts.length === 0) return []
  const block = await readPlace(node, number)
  return receipts.map((receipt) => ({ ...receipt, ...block }))
}

type SolidEffects = Pick<PositionedReceipt, 'txHash' | 'logs'> & { readonly isFailed: boolean }

async function readInfos(node: TronNode, number: number): Promise<readonly SolidEffects[]> {
  const infos = await node.askList('walletsolidity/gettransactioninfobyblocknum', { num: number })
  requireDistinct(node, infos)
  let logIndex = 0
  return infos.map((info) => {
    const { id, blockNumber } = info
    if (!isHash(id) || blockNumber !== number) throw new TronNodeError(node, 'returned data of another block')
    const logs = listLogs(info).map((log) => readLog(node, { log, logIndex: logIndex++ }))
    return { txHash: `0x${id}`, logs, isFailed: isFailed(info) }
  })
}

async function readPlace(node: TronNode, number: number) {
  const { id: blockHash, timestampMs } = await readSolidifiedHead(node, number)
  return { blockNumber: number, blockHash, blockTimestamp: Math.floor(timestampMs / 1000) }
}

/**
 * Returns whether the transaction failed. A TRX transfer has no result, because it calls no contract; it is a success,
 * as in `/jsonrpc`.
 */
function isFailed(info: TronResponse): boolean {
  const { result = 'SUCCESS' } = getObject(info['receipt'])
  return !isSuccess({ ...info, receipt: { result } })
}

/** Throws if a transaction is listed twice, because it would count as two payments. */
function requireDistinct(node: TronNode, infos: readonly TronResponse[]): void {
  if (new Set(infos.map(({ id }) => id)).size !== infos.length)
    throw new TronNodeError(node, 'listed a transaction twice')
}

/**
 * The logs of a transaction, which may be none; `failed` if the transaction failed, `null` if no solidified block
 * contains it.
 */
export type SolidReceipt = PositionedReceipt | 'failed' | null

export async function readSolidifiedReceipt(node: TronNode, txHash: Hex): Promise<SolidReceipt> {
  const outcome = await readSolidifiedOutcome(node, txHash)
  if (outcome === null) return null
  const infos = await readInfos(node, outcome.blockNumber)
  const effects = infos.find((one) => one.txHash === txHash)
  if (effects === undefined)
    throw new TronNodeError(node, 'shows a transaction that its block does not contain')
  if (effects.isFailed) return 'failed'
  return { txHash, logs: effects.logs, ...(await readPlace(node, outcome.blockNumber)) }
}

/** The logs of a transaction. Their indexes count from 0 in the transaction, not in the block. */
export type SolidifiedLogs = { readonly blockNumber: number; readonly logs: readonly PositionedLog[] }

/** Reads the logs of one transaction without its block. Returns `failed` or `null` like `SolidReceipt`. */
export async function readSolidifiedLogs(
  node: TronNode,
  txHash: Hex,
): Promise<SolidifiedLogs | 'failed' | null> {
  const info = await node.askLong('walletsolidity/gettransactioninfobyid', { value: txHash.slice(2) })
  const outcome = parseOutcome(node, txHash, info)
  if (outcome === null) return null
  if (isFailed(info)) return 'failed'
  const logs = listLogs(info).map((log, logIndex) => readLog(node, { log, logIndex }))
  return { blockNumber: outcome.blockNumber, logs }
}

function listLogs({ log }: TronResponse): readonly unknown[] {
  return Array.isArray(log) ? log : []
}

/** TRON's API returns bytes without 0x, and addresses without the prefix 41. */
function readLog(
  node: TronNode,
  { log, logIndex }: { readonly log: unknown; readonly logIndex: number },
): PositionedLog {
  const { address, topics = [], data = '' } = getObject(log)
  const emitter = String(address).toLowerCase()
  const words = Array.isArray(topics) ? topics : []
  if (!/^[0-9a-f]{40}$/.test(emitter) || !isBytes(data) || !words.every(isHash))
    throw new TronNodeError(node, 'returned an invalid log')
  const [first, ...others] = words.map((word) => `0x${word}` as const)
  return {
    ...{ address: `0x${emitter}` as const, data: `0x${data}` as const, logIndex },
    topics: first === undefined ? [] : [first, ...others],
  }
}

/**
 * Accepts only lower case. Otherwise the same hash in another case would count as another transaction, and its payment
 * would be credited twice.
 */
function isHash(text: unknown): text is string {
  return typeof text === 'string' && /^[0-9a-f]{64}$/.test(text)
}

function isBytes(text: unknown): text is string {
  return typeof text === 'string' && text.length % 2 === 0 && /^[0-9a-f]*$/.test(text)
}
