import { expect } from 'chai'
import constants from '../../../contracts/artifacts/split-constants.json' with { type: 'json' }
import { type Address, parseEvmAddress } from '../../../shared/domain/address.ts'
import type { Split } from '../../../shared/domain/allocation.ts'
import {
  chargeSalt,
  predictSplitAddress,
  SPLIT_FACTORY,
  SPLIT_IMPLEMENTATION,
  splitHash,
  validateSplit,
} from '../../../shared/domain/split-address.ts'

const { example } = constants

const split: Split = {
  recipients: example.split.recipients as Address[],
  allocations: example.split.allocations.map(Number),
  totalAllocation: Number(example.split.totalAllocation),
  distributionIncentive: example.split.distributionIncentive,
}

const predict = (changes: Partial<Split> = {}) =>
  predictSplitAddress({
    factory: SPLIT_FACTORY,
    implementation: SPLIT_IMPLEMENTATION,
    split: { ...split, ...changes },
    salt: example.salt as `0x${string}`,
  })

describe('predictSplitAddress', () => {
  it('returns the address that the compiled contracts returned', () => {
    expect(splitHash(split)).to.equal(example.splitHash)
    expect(predict()).to.equal(parseEvmAddress(example.address))
  })

  it('depends on every term', () => {
    const [merchant, treasury] = split.recipients
    if (merchant === undefined || treasury === undefined)
      throw new Error('the example must have two recipients')
    const addresses = [
      predict(),
      predict({ recipients: [treasury, merchant] }),
      predict({ allocations: [990_990, 9_010] }),
      predict({ distributionIncentive: 1_001 }),
    ]
    expect(new Set(addresses).size).to.equal(4)
  })

  it('throws for terms that cannot be deployed', () => {
    expect(() => predict({ allocations: [990_991, 9_010] })).to.throw('add up to 1000001')
  })
})

describe('validateSplit', () => {
  const merchant = split.recipients[0] as Address
  const refusals: [title: string, changes: Partial<Split>, message: string][] = [
    ['no recipient', { recipients: [], allocations: [] }, '1 to 16 recipients, not 0'],
    ['seventeen recipients', { recipients: Array(17).fill(merchant) }, '1 to 16 recipients, not 17'],
    ['a missing allocation', { allocations: [1_000_000] }, '1 allocations for 2 recipients'],
    [
      'the zero address',
      { recipients: [merchant, `0x${'0'.repeat(40)}` as Address] },
      'cannot pay the zero address',
    ],
    ['an empty allocation', { allocations: [1_000_000, 0] }, 'are not all positive integers'],
    ['a fractional allocation', { allocations: [999_999.5, 0.5] }, 'are not all positive integers'],
    ['allocations below one million in total', { allocations: [990_991, 9_008] }, 'add up to 999999'],
    ['a total that is not a million', { totalAllocation: 100 }, 'totalAllocation is 100'],
    ['an incentive above 5 %', { distributionIncentive: 50_001 }, 'must be from 0 to 50000'],
    ['a negative incentive', { distributionIncentive: -1 }, 'must be from 0 to 50000'],
  ]
  for (const [title, changes, message] of refusals) {
    it(`rejects ${title}`, () => expect(() => validateSplit({ ...split, ...changes })).to.throw(message))
  }

  it('accepts the maximum incentive', () => {
    expect(() => validateSplit({ ...split, distributionIncentive: 50_000 })).not.to.throw()
  })
})

describe('chargeSalt', () => {
  it('is the keccak256 of the id’s text', () => {
    // Ethereum's code hash of an account without code is the hash of the empty text.
    expect(chargeSalt('')).to.equal('0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470')
    // A published test vector of Keccak-256.
    expect(chargeSalt('abc')).to.equal('0x4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45')
  })
})
