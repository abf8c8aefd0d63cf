import { type Hex, hexToBytes, keccak256, toHex } from 'viem'

/** Returns the bloom filter of 2,048 bits over the addresses and topics of these logs (yellow paper, section 4.3.1). */
export function buildBloom(logs: readonly { readonly address: Hex; readonly topics: readonly Hex[] }[]): Hex {
  const bloom = new Uint8Array(256)
  for (const { address, topics } of logs) for (const value of [address, ...topics]) add(bloom, value)
  return toHex(bloom)
}

function add(bloom: Uint8Array, value: Hex): void {
  const hash = hexToBytes(keccak256(value))
  for (const place of [0, 2, 4]) {
    const bit = (((hash[place] ?? 0) << 8) | (hash[place + 1] ?? 0)) & 2047
    const byte = 255 - (bit >> 3)
    bloom[byte] = (bloom[byte] ?? 0) | (1 << (bit & 7))
  }
}
