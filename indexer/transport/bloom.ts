import { keccak256 } from 'viem'
import type { Hex } from '../../shared/domain/address.ts'

/**
 * Returns whether a block's `logsBloom` may contain a log with this address or topic. A `false` is certain.
 *
 * @see https://ethereum.github.io/yellowpaper/paper.pdf section 4.3.1: three bits of keccak256, each from a 16-bit word
 * modulo 2048, counted from the low end of the 256 bytes
 */
export function isInBloom(bloom: Hex, value: Hex): boolean {
  const hash = keccak256(value)
  return [2, 6, 10].every((at) => {
    const bit = Number.parseInt(hash.slice(at, at + 4), 16) % 2048
    const nibble = Number.parseInt(bloom.charAt(bloom.length - 1 - (bit >> 2)), 16)
    return (nibble & (1 << (bit & 3))) !== 0
  })
}
