import { keccak256, stringToHex } from 'viem'
import type { Hex } from '../../../shared/domain/address.ts'

type Place = { readonly number: number; readonly isTron: boolean }

/** Derives a block's hash from a text. On TRON, the hash begins with the block's height. */
export function hashBlock(text: string, { number, isTron }: Place): Hex {
  const hash = keccak256(stringToHex(text))
  return isTron ? `${prefixOf(number)}${hash.slice(18)}` : hash
}

/** Returns the hash of the first block. On TRON, its last four bytes are the chain id. */
export function hashGenesis(chainId: number, isTron: boolean): Hex {
  const hash = hashBlock(`genesis ${chainId}`, { number: 0, isTron })
  return isTron ? (`${hash.slice(0, -8)}${chainId.toString(16).padStart(8, '0')}` as Hex) : hash
}

/** Whether this is the hash of a block of TRON at this height. */
export function isTronBlock({ number, hash }: { readonly number: number; readonly hash: Hex }): boolean {
  return hash.startsWith(prefixOf(number))
}

function prefixOf(number: number): Hex {
  return `0x${number.toString(16).padStart(16, '0')}`
}
