import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { LRUCache } from 'lru-cache'

declare const form: unique symbol

/** Bytes as `0x` and lowercase hex digits. */
export type Hex = `0x${string}`

/**
 * Twenty bytes as `0x` and 40 lowercase hex digits, the form in which addresses of every family are stored and
 * compared.
 */
export type Address = Hex & { readonly [form]: 'address' }

/**
 * Groups of networks with the same kind of addresses, transactions and nodes; see `chain-families/chain-families.ts`.
 * All addresses of a charge belong to one family.
 */
export const CHAIN_FAMILY_NAMES = ['evm', 'tron'] as const

export type ChainFamilyName = (typeof CHAIN_FAMILY_NAMES)[number]

/**
 * Parses a 0x address in lower, upper or checksummed mixed case.
 *
 * @returns the address in lower case; `null` if the text is not an address, or if its mixed case violates EIP-55, which
 * indicates a typing error
 * @see https://eips.ethereum.org/EIPS/eip-55
 */
export function parseEvmAddress(text: string): Address | null {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) return null
  const address = text.toLowerCase() as Address
  const isOneCase = text === address || text.slice(2) === text.slice(2).toUpperCase()
  return isOneCase || checksum(address) === text ? address : null
}

/** Formats an address in mixed case with its checksum (EIP-55). */
export function checksum(address: Address): Hex {
  const known = checksums.get(address)
  if (known !== undefined) return known
  const digits = address.slice(2)
  const hash = bytesToHex(keccak_256(utf8ToBytes(digits)))
  const mixed = Array.from(digits, (digit, index) =>
    hash.charAt(index) >= '8' ? digit.toUpperCase() : digit,
  )
  const written: Hex = `0x${mixed.join('')}`
  checksums.set(address, written)
  return written
}

/**
 * Maximum number of cached checksums. Every response with a charge contains six addresses, mostly the same in all
 * responses, and calculating a checksum takes 10 µs (measured).
 */
const checksums = new LRUCache<Address, Hex>({ max: 10_000 })
