import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { createBase58check } from '@scure/base'
import type { Address } from '../../address.ts'

/** The first byte of a TRON address. See java-tron, `DecodeUtil.addressPreFixByte`. */
export const TRON_PREFIX = 0x41

const base58check = createBase58check(sha256)

/**
 * Parses a TRON address (`T…`, base58check over 0x41 and twenty bytes) into the twenty-byte form of all addresses.
 *
 * @returns the address; `null` if the text is not such an address, or its checksum is wrong
 * @see https://developers.tron.network/docs/account#account-address-format
 */
export function parseTronAddress(text: string): Address | null {
  // Limits the length first, because the time to decode base58 grows with the square of the length.
  if (!/^T[1-9A-HJ-NP-Za-km-z]{33}$/.test(text)) return null
  const bytes = decodeBase58check(text)
  if (bytes === null || bytes.length !== 21 || bytes[0] !== TRON_PREFIX) return null
  return `0x${bytesToHex(bytes.subarray(1))}` as Address
}

/** Formats an address in TRON's form: `T…`. */
export function formatTronAddress(address: Address): string {
  return base58check.encode(Uint8Array.from([TRON_PREFIX, ...hexToBytes(address.slice(2))]))
}

function decodeBase58check(text: string): Uint8Array | null {
  try {
    return base58check.decode(text)
  } catch {
    // The checksum is wrong. Length and characters were checked before.
    return null
  }
}
