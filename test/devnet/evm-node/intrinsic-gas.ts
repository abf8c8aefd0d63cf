import { type Hex, hexToBytes } from 'viem'

import type { Message } from './message.ts'

/** Returns the gas that a transaction costs before its first instruction (EIP-2028, EIP-2930, EIP-3860). */
export function intrinsicGas({ to, data, accessList }: Pick<Message, 'to' | 'data' | 'accessList'>): bigint {
  const bytes = countBytes(data)
  const creation = to === null ? 32_000 + 2 * Math.ceil((bytes.zero + bytes.other) / 32) : 0
  const listed = (accessList ?? []).reduce(
    (sum, { storageKeys }) => sum + 2_400 + 1_900 * storageKeys.length,
    0,
  )
  return BigInt(21_000 + 4 * bytes.zero + 16 * bytes.other + creation + listed)
}

/** Returns the minimum gas of a transaction with this data (EIP-7623). */
export function floorGas({ data }: { readonly data: Hex }): bigint {
  const bytes = countBytes(data)
  return BigInt(21_000 + 10 * (bytes.zero + 4 * bytes.other))
}

function countBytes(data: Hex): { zero: number; other: number } {
  const bytes = hexToBytes(data)
  const other = bytes.reduce((count, byte) => count + (byte === 0 ? 0 : 1), 0)
  return { zero: bytes.length - other, other }
}
