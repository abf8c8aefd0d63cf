import type { Hex } from 'viem'
import { buildBloom } from '../../devnet/evm-node/bloom.ts'

/** A log of a recorded receipt. `data` consists of words of 32 bytes without `0x`. */
export type RealLog = readonly [address: Hex, topics: readonly Hex[], ...data: string[]]

/** Pads the hex digits of an address or a number to a word of 32 bytes. */
export const word = (digits: string): Hex => `0x${digits.padStart(64, '0')}`

/** Converts logs to the format of JSON-RPC. */
export function toLogs(entries: readonly RealLog[]) {
  return entries.map(([address, topics, ...data]) => ({
    ...{ address, topics },
    data: `0x${data.join('')}` as Hex,
  }))
}

/** Returns a successful receipt with the bloom filter computed from its logs. The receipts root commits to both. */
export function realReceipt(
  cumulativeGasUsed: number,
  { type = '0x2', logs: entries = [] }: { readonly type?: Hex; readonly logs?: readonly RealLog[] },
) {
  const logs = toLogs(entries)
  return {
    ...{ type, status: '0x1' as const, logs, logsBloom: buildBloom(logs) },
    cumulativeGasUsed: `0x${cumulativeGasUsed.toString(16)}` as Hex,
  }
}
