import { fromRlp } from 'viem'
import type { Hex } from '../address.ts'

export type ReceiptLog = { readonly address: Hex; readonly topics: readonly Hex[]; readonly data: Hex }

/** The fields of a receipt that prove a transfer. */
export type DecodedReceipt = { readonly isSuccess: boolean; readonly logs: readonly ReceiptLog[] }

type RlpItem = Hex | readonly RlpItem[]

/** Minimum first byte of an RLP list. A receipt without a type (EIP-2718) is a list; a type byte is lower. */
const FIRST_LIST_BYTE = 0xc0

/** Decodes a receipt from its encoding in the receipts trie; returns `null` if the bytes are not a receipt. */
export function decodeReceipt(encoded: Hex): DecodedReceipt | null {
  const isTyped = Number(encoded.slice(0, 4)) < FIRST_LIST_BYTE
  const fields = decodeList(isTyped ? `0x${encoded.slice(4)}` : encoded)
  if (fields === null) return null
  const [status, , , entries] = fields
  if (!Array.isArray(entries)) return null
  const logs = (entries as readonly RlpItem[]).map(toLog)
  return logs.every((log) => log !== null) ? { isSuccess: status === '0x01', logs } : null
}

/** Decodes an RLP list; returns `null` for anything else. */
export function decodeList(encoded: Hex): readonly RlpItem[] | null {
  try {
    const decoded = fromRlp(encoded) as RlpItem
    return typeof decoded === 'string' ? null : decoded
  } catch {
    return null
  }
}

function toLog(item: RlpItem): ReceiptLog | null {
  if (typeof item === 'string') return null
  const [address, topics, data] = item
  if (typeof address !== 'string' || typeof data !== 'string' || !Array.isArray(topics)) return null
  const texts = (topics as readonly RlpItem[]).filter((topic) => typeof topic === 'string')
  return texts.length === topics.length ? { address, topics: texts, data } : null
}
