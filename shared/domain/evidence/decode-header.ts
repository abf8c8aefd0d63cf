import type { Hex } from '../address.ts'
import { decodeList } from './decode-receipt.ts'

/** The fields of a block's header that are needed to verify a receipt. */
export type DecodedHeader = {
  readonly number: number
  /** Unix seconds. */
  readonly timestamp: number
  readonly receiptsRoot: Hex
}

/** Positions of these fields in the header of every EVM chain; see `REQUIRED` in encode-header.ts. */
const RECEIPTS_ROOT = 5
const NUMBER = 8
const TIMESTAMP = 11

/** The latest time of a JavaScript date, in Unix seconds. */
const MAX_TIMESTAMP = 8_640_000_000_000

/** Decodes a header; returns `null` if the bytes are not a header. */
export function decodeHeader(encoded: Hex): DecodedHeader | null {
  const fields = decodeList(encoded)
  const [receiptsRoot, number, timestamp] = [RECEIPTS_ROOT, NUMBER, TIMESTAMP].map((place) => fields?.[place])
  if (typeof receiptsRoot !== 'string' || typeof number !== 'string' || typeof timestamp !== 'string')
    return null
  const decoded = { receiptsRoot, number: toNumber(number), timestamp: toNumber(timestamp) }
  return decoded.timestamp <= MAX_TIMESTAMP && Number.isSafeInteger(decoded.number) ? decoded : null
}

/** Converts an RLP number. RLP encodes zero as no bytes. */
function toNumber(hex: Hex): number {
  return hex === '0x' ? 0 : Number(hex)
}
