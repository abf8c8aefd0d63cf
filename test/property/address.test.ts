import { expect } from 'chai'
import * as fc from 'fast-check'
import {
  concat,
  encodeAbiParameters,
  getAddress,
  getContractAddress,
  type Hex,
  isAddress,
  keccak256,
  parseAbiParameters,
} from 'viem'
import { type Address, checksum, parseEvmAddress } from '../../shared/domain/address.ts'
import type { Split } from '../../shared/domain/allocation.ts'
import { findAddressFamily, parseAddress } from '../../shared/domain/chain-families/chain-families.ts'
import { formatTronAddress, parseTronAddress } from '../../shared/domain/chain-families/tron/address.ts'
import { predictSplitAddress, splitHash } from '../../shared/domain/split-address.ts'

const hexOf = (length: number) =>
  fc
    .uint8Array({ minLength: length, maxLength: length })
    .map((bytes): Hex => `0x${Buffer.from(bytes).toString('hex')}`)

const addresses = hexOf(20)
  .filter((hex) => BigInt(hex) !== 0n)
  .map((hex) => hex as Address)

/**
 * Any split that the contract accepts: 1 to 16 recipients, possibly the same recipient twice, whose allocations sum to
 * 1,000,000.
 */
const splits: fc.Arbitrary<Split> = fc
  .record({
    recipients: fc.array(addresses, { minLength: 1, maxLength: 16 }),
    cuts: fc.uniqueArray(fc.integer({ min: 1, max: 999_999 }), { minLength: 15, maxLength: 15 }),
    distributionIncentive: fc.integer({ min: 0, max: 50_000 }),
  })
  .map(({ recipients, cuts, distributionIncentive }) => {
    const bounds = [0, ...cuts.slice(0, recipients.length - 1).sort((left, right) => left - right), 1_000_000]
    const allocations = recipients.map((_, index) => (bounds[index + 1] ?? 0) - (bounds[index] ?? 0))
    return { recipients, allocations, totalAllocation: 1_000_000, distributionIncentive }
  })

const splitParameter = parseAbiParameters([
  'Split split',
  'struct Split { address[] recipients; uint256[] allocations; uint256 totalAllocation; uint16 distributionIncentive; }',
])

const viemSplitHash = (split: Split) =>
  keccak256(
    encodeAbiParameters(splitParameter, [
      {
        ...split,
        recipients: [...split.recipients],
        allocations: split.allocations.map(BigInt),
        totalAllocation: BigInt(split.totalAllocation),
      },
    ]),
  )

describe('invariants of addresses', () => {
  it('an address with its checksum equals viem’s, and can be parsed', () => {
    fc.assert(
      fc.property(addresses, (address) => {
        expect(checksum(address)).to.equal(getAddress(address))
        expect(parseEvmAddress(checksum(address))).to.equal(address)
      }),
    )
  })

  it('an EVM address is valid if and only if viem considers it valid, except in upper case', () => {
    const texts = fc.oneof(
      fc.string(),
      addresses.chain((address) => fc.mixedCase(fc.constant(address))),
      addresses.map(getAddress),
    )
    fc.assert(
      fc.property(texts, (text) => {
        // viem rejects addresses in upper case, although they have no checksum that could be wrong. The comparison
        // skips the prefix, whose `x` must be in lower case.
        fc.pre(text.slice(2) !== text.slice(2).toUpperCase())
        expect(parseEvmAddress(text) !== null).to.equal(isAddress(text))
      }),
    )
  })

  it('parsing a formatted TRON address returns the original', () => {
    fc.assert(
      fc.property(addresses, (address) => {
        const text = formatTronAddress(address)
        expect(parseTronAddress(text)).to.equal(address)
        expect(parseAddress(text)).to.equal(address)
        expect(findAddressFamily(text)).to.equal('tron')
      }),
    )
  })

  it('a change of any single character of a TRON address is detected', () => {
    const base58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
    fc.assert(
      fc.property(
        addresses,
        fc.nat(33),
        fc.constantFrom(...base58.split('')),
        (address, place, character) => {
          const text = formatTronAddress(address)
          const changed = text.slice(0, place) + character + text.slice(place + 1)
          fc.pre(changed !== text)
          expect(parseTronAddress(changed)).to.equal(null)
        },
      ),
    )
  })
})

describe('invariants of split addresses', () => {
  it('the hash of a split equals the hash of viem’s ABI encoding', () => {
    fc.assert(
      fc.property(splits, (split) => {
        expect(splitHash(split)).to.equal(viemSplitHash(split))
      }),
    )
  })

  it('the predicted address equals the address that viem computes from the proxy’s creation code', () => {
    const terms = fc.record({ factory: addresses, implementation: addresses, split: splits, salt: hexOf(32) })
    fc.assert(
      fc.property(terms, ({ factory, implementation, split, salt }) => {
        const bytecode = concat([
          '0x6100533d81600a3d39f3', // code that deploys the following 83 bytes
          '0x36600557005b363d3d373d3d3d363d73',
          implementation,
          '0x5af43d82803e903d91603157fd5bf3',
          viemSplitHash(split),
        ])
        const expected = getContractAddress({ opcode: 'CREATE2', from: factory, salt, bytecode })
        expect(predictSplitAddress({ factory, implementation, split, salt })).to.equal(expected.toLowerCase())
      }),
    )
  })
})
