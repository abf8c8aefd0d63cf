import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import type { Address, Hex } from './address.ts'

/**
 * Returns the address of a contract deployed by CREATE2.
 *
 * @param terms.salt - 32 bytes
 * @param terms.initCodeHash - keccak256 of the creation code with its arguments
 * @see https://eips.ethereum.org/EIPS/eip-1014
 */
export function create2Address(terms: { deployer: Address; salt: Hex; initCodeHash: Hex }): Address {
  const { deployer, salt, initCodeHash } = terms
  const hash = hashHex(`0xff${deployer.slice(2)}${salt.slice(2)}${initCodeHash.slice(2)}`)
  return `0x${hash.slice(-40)}` as Address
}

/** Returns the keccak256 of hex bytes. */
export function hashHex(bytes: Hex): Hex {
  return `0x${bytesToHex(keccak_256(hexToBytes(bytes.slice(2))))}`
}

/** Encodes a non-negative integer or an address as one 32-byte ABI word, without `0x`. */
export function encodeAbiWord(value: number | Address): string {
  const digits = typeof value === 'number' ? value.toString(16) : value.slice(2)
  return digits.padStart(64, '0')
}
