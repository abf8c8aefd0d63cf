import { sha256 } from '@noble/hashes/sha2.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { createBase58check } from '@scure/base'
import { LRUCache } from 'lru-cache'

declare const form: unique symbol

/** Bytes as `0x` and lowercase hex digits. */
export type Hex = `0x${string}`

/** Twenty bytes as `0x` and 40 lowercase hex digits: how addresses of both families are kept and compared. */
export type Address = Hex & { readonly [form]: 'address' }

/** The kinds of networks whose addresses cannot be mixed in one charge. */
export const ADDRESS_FAMILIES = ['evm', 'tron'] as const

export type AddressFamily = (typeof ADDRESS_FAMILIES)[number]

/** The first byte of a TRON address. See java-tron, `DecodeUtil.addressPreFixByte`. */
const TRON_PREFIX = 0x41

const base58check = createBase58check(sha256)

/**
 * Reads a 0x address in lower, upper or checksummed mixed case.
 *
 * @returns `null` if it is no address, or mixes cases otherwise than EIP-55 does, which tells of a typing error
 * @see https://eips.ethereum.org/EIPS/eip-55
 */
export function parseEvmAddress(text: string): Address | null {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) return null
  const address = text.toLowerCase() as Address
  const isOneCase = text === address || text.slice(2) === text.slice(2).toUpperCase()
  return isOneCase || checksum(address) === text ? address : null
}

/** Writes an address in the mixed case that carries its checksum (EIP-55). */
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

/** A charge shows six addresses at every read, mostly the same ones; each costs a hash of 10 µs (measured). */
const checksums = new LRUCache<Address, Hex>({ max: 10_000 })

/**
 * Reads a TRON address (`T…`, base58check over 0x41 and twenty bytes) into the same twenty-byte form.
 *
 * @returns `null` if it is no such address or its checksum is wrong
 * @see https://developers.tron.network/docs/account#account-address-format
 */
export function parseTronAddress(text: string): Address | null {
  // The length is fixed, and base58 of a long text costs its square: refuse it unread.
  if (!/^T[1-9A-HJ-NP-Za-km-z]{33}$/.test(text)) return null
  const bytes = decodeBase58check(text)
  if (bytes === null || bytes.length !== 21 || bytes[0] !== TRON_PREFIX) return null
  return `0x${bytesToHex(bytes.subarray(1))}` as Address
}

/** Writes an address the way TRON does: `T…`. */
export function formatTronAddress(address: Address): string {
  return base58check.encode(Uint8Array.from([TRON_PREFIX, ...hexToBytes(address.slice(2))]))
}

/** Tells the family of an address as users write it, or `null` if it is an address of neither. */
export function addressFamily(text: string): AddressFamily | null {
  if (parseEvmAddress(text) !== null) return 'evm'
  return parseTronAddress(text) === null ? null : 'tron'
}

/** Reads an address of either family, or answers `null`. */
export function parseAddress(text: string): Address | null {
  return parseEvmAddress(text) ?? parseTronAddress(text)
}

/** Writes an address the way users of its family do: checksummed 0x, or `T…`. */
export function presentAddress(address: Address, family: AddressFamily): string {
  return family === 'evm' ? checksum(address) : formatTronAddress(address)
}

function decodeBase58check(text: string): Uint8Array | null {
  try {
    return base58check.decode(text)
  } catch {
    // The library throws on a wrong checksum; the text has been checked for everything else.
    return null
  }
}
