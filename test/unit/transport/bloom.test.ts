import { expect } from 'chai'
import { type Hex, keccak256, toHex } from 'viem'
import { isInBloom } from '../../../indexer/transport/bloom.ts'
import { TRANSFER_TOPIC } from '../../../shared/domain/log-topics.ts'

const USDC: Hex = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913'

/** Returns the bloom filter of these values: an integer in which bit n has the value 2^n. */
function bloomOf(...values: readonly Hex[]): Hex {
  const bits = values.flatMap((value) => {
    const hash = BigInt(keccak256(value))
    return [240n, 224n, 208n].map((shift) => (hash >> shift) & 2047n)
  })
  return toHex(
    bits.reduce((bloom, bit) => bloom | (1n << bit), 0n),
    { size: 256 },
  )
}

describe('isInBloom', () => {
  it('tests the bits 1443, 481 and 1060 for the Transfer topic', () => {
    // keccak256(topic) begins with ada3 89e1 fc24, in decimal 44451, 35297 and 64548. The bits are these modulo 2048.
    const bits = [1443n, 481n, 1060n].map((bit) => 1n << bit)
    const [first = 0n, second = 0n, third = 0n] = bits
    expect(isInBloom(toHex(first | second | third, { size: 256 }), TRANSFER_TOPIC)).to.equal(true)
    for (const two of [first | second, first | third, second | third]) {
      expect(isInBloom(toHex(two, { size: 256 }), TRANSFER_TOPIC)).to.equal(false)
    }
  })

  it('finds every added value', () => {
    const values = [USDC, ...Array.from({ length: 40 }, (_, index) => toHex(index + 1, { size: 20 }))]
    const bloom = bloomOf(...values)
    expect(values.filter((value) => !isInBloom(bloom, value))).to.deep.equal([])
  })

  it('finds no value in an empty bloom and every value in a full one', () => {
    expect(isInBloom(`0x${'0'.repeat(512)}`, USDC)).to.equal(false)
    expect(isInBloom(`0x${'f'.repeat(512)}`, USDC)).to.equal(true)
  })
})
