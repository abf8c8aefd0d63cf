import { type Hex, numberToHex } from 'viem'
import { SPLIT_FACTORY } from '../../../shared/domain/split-address.ts'
import type { RpcFate, RpcRule } from '../rpc-proxy.ts'
import {
  type ForwardCall,
  isAskedFor,
  type LogQuery,
  type RpcBlock,
  type RpcLog,
  type RpcReceipt,
} from './rpc-types.ts'

/** False data that a node reports consistently in logs, receipts and blocks. Fields that are not set change nothing. */
export type Lie = {
  /** Returns the logs that replace a log. An empty list hides the log. */
  readonly showLog?: (log: RpcLog) => readonly RpcLog[]
  /** Returns the seconds to add to the timestamp of a block with these logs. */
  readonly shiftTime?: (logs: readonly RpcLog[]) => number
  /** Whether the node reports every simulated call to our factory as reverted. */
  readonly revertsCalls?: boolean
}

/** A bloom filter that matches every log. The real one might not match a changed log, which would expose the lie. */
const FULL_BLOOM: Hex = `0x${'f'.repeat(512)}`

type Telling = { readonly lie: Lie; readonly forward: ForwardCall; readonly params: readonly unknown[] }

const TELLERS: Readonly<Record<string, (telling: Telling) => Promise<RpcFate>>> = {
  eth_getLogs: tellLogs,
  eth_getTransactionReceipt: tellReceipt,
  eth_getBlockReceipts: tellReceipts,
  eth_getBlockByNumber: (telling) => tellBlock(telling, 'eth_getBlockByNumber'),
  eth_getBlockByHash: (telling) => tellBlock(telling, 'eth_getBlockByHash'),
  eth_call: tellCall,
  eth_estimateGas: tellCall,
}

/** Creates the rule of a node that reports a lie. */
export function tellLie(lie: Lie, forward: ForwardCall): RpcRule {
  return async (method, params) => (await TELLERS[method]?.({ lie, forward, params })) ?? 'pass'
}

/** Filters after changing the logs, because a changed log might match the filter although the real log does not. */
async function tellLogs({ lie, forward, params }: Telling): Promise<RpcFate> {
  const [query = {}] = params as readonly LogQuery[]
  const { address, topics, ...range } = query
  const logs = await forward<readonly RpcLog[]>('eth_getLogs', [range])
  return { result: show(lie, logs).filter((log) => isAskedFor(log, query)) }
}

async function tellReceipt({ lie, forward, params }: Telling): Promise<RpcFate> {
  const receipt = await forward<RpcReceipt | null>('eth_getTransactionReceipt', params)
  return { result: receipt === null ? null : { ...receipt, logs: show(lie, receipt.logs) } }
}

async function tellReceipts({ lie, forward, params }: Telling): Promise<RpcFate> {
  const receipts = await forward<readonly RpcReceipt[] | null>('eth_getBlockReceipts', params)
  return { result: receipts?.map((receipt) => ({ ...receipt, logs: show(lie, receipt.logs) })) ?? null }
}

async function tellBlock({ lie, forward, params }: Telling, method: string): Promise<RpcFate> {
  const block = await forward<RpcBlock | null>(method, params)
  if (block === null) return { result: null }
  const logs = await forward<readonly RpcLog[]>('eth_getLogs', [{ blockHash: block.hash }])
  const timestamp = numberToHex(BigInt(block.timestamp) + BigInt(lie.shiftTime?.(logs) ?? 0))
  const isChanged = JSON.stringify(show(lie, logs)) !== JSON.stringify(logs)
  return { result: { ...block, timestamp, ...(isChanged && { logsBloom: FULL_BLOOM }) } }
}

async function tellCall({ lie, params: [call] }: Telling): Promise<RpcFate> {
  const { to } = call as { readonly to?: string }
  if (lie.revertsCalls !== true || to?.toLowerCase() !== SPLIT_FACTORY.toLowerCase()) return 'pass'
  return { error: { code: 3, message: 'execution reverted', data: '0x' } }
}

function show({ showLog }: Lie, logs: readonly RpcLog[]): readonly RpcLog[] {
  return showLog === undefined ? logs : logs.flatMap(showLog)
}
