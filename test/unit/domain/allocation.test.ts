import { expect } from 'chai'
import type { Address } from '../../../shared/domain/address.ts'
import { type AllocationTerms, allocate, distribute } from '../../../shared/domain/allocation.ts'
import { atomic } from '../../../shared/domain/money.ts'
import { type Percent, parsePercent } from '../../../shared/domain/percent.ts'

const addressOf = (digit: string) => `0x${digit.repeat(40)}` as Address
const merchant = addressOf('a')
const treasury = addressOf('f')
const first = addressOf('1')
const second = addressOf('2')

function percentOf(text: string): Percent {
  const value = parsePercent(text, { maxFractionDigits: 12 })
  if (value === null) throw new Error(`${text} is not a percentage`)
  return value
}

function termsOf(terms: { fee: string; incentive?: string; split?: [Address, string][] }): AllocationTerms {
  return {
    feePercent: percentOf(terms.fee),
    distributorFeePercent: percentOf(terms.incentive ?? '0.1'),
    merchant,
    treasury,
    splitRecipients: (terms.split ?? []).map(([address, text]) => ({ address, percent: percentOf(text) })),
  }
}

const refused = { ok: false, code: 'split_recipients_exceed_available_percent' }

describe('allocate', () => {
  it('returns the specification’s 990,991 and 9,009 millionths for a fee of 1 % and an incentive of 0.1 %', () => {
    expect(allocate(termsOf({ fee: '1' }))).to.deep.equal({
      ok: true,
      split: {
        recipients: [merchant, treasury],
        allocations: [990_991, 9_009],
        totalAllocation: 1_000_000,
        distributionIncentive: 1_000,
      },
    })
  })

  it('applies a recipient’s percentage to the merchant’s net share, not to the gross amount', () => {
    const result = allocate(termsOf({ fee: '10', incentive: '0', split: [[first, '50']] }))
    expect(result).to.have.nested.property('split.recipients').that.deep.equals([merchant, first, treasury])
    expect(result).to.have.nested.property('split.allocations').that.deep.equals([450_000, 450_000, 100_000])
  })

  it('keeps a repeated recipient as two entries', () => {
    const split: [Address, string][] = [
      [first, '10'],
      [first, '10'],
    ]
    const result = allocate(termsOf({ fee: '0', split }))
    expect(result).to.have.nested.property('split.allocations').that.deep.equals([800_000, 100_000, 100_000])
  })

  it('lowers the incentive to the fee and omits the treasury if the fee is smaller than the incentive', () => {
    const result = allocate(termsOf({ fee: '0.05', incentive: '0.1' }))
    expect(result).to.have.nested.property('split.distributionIncentive', 500)
    expect(result).to.have.nested.property('split.recipients').that.deep.equals([merchant])
    expect(result).to.have.nested.property('split.allocations').that.deep.equals([1_000_000])
  })

  it('omits a merchant whose whole share goes to recipients', () => {
    const result = allocate(
      termsOf({
        fee: '0',
        split: [
          [first, '40'],
          [second, '60'],
        ],
      }),
    )
    expect(result).to.have.nested.property('split.recipients').that.deep.equals([first, second])
    expect(result).to.have.nested.property('split.allocations').that.deep.equals([400_000, 600_000])
  })

  it('raises a share below a millionth to one millionth, at the merchant’s expense', () => {
    const result = allocate(termsOf({ fee: '0', split: [[first, '0.000000000001']] }))
    expect(result).to.have.nested.property('split.allocations').that.deep.equals([999_999, 1])
  })

  it('accepts recipients’ percentages that add up to exactly 100 % less the fee', () => {
    expect(allocate(termsOf({ fee: '1', split: [[first, '99']] }))).to.have.property('ok', true)
  })

  it('rejects recipients’ percentages that exceed 100 % less the fee by a trillionth of a percent', () => {
    expect(allocate(termsOf({ fee: '1', split: [[first, '99.000000000001']] }))).to.deep.equal(refused)
  })

  it('rejects terms if raising shares to one millionth takes more than the merchant’s share', () => {
    const split: [Address, string][] = [
      [first, '99.9999'],
      [second, '0.00000005'],
      [second, '0.00000005'],
    ]
    expect(allocate(termsOf({ fee: '0', split }))).to.have.property('ok', false)
  })

  it('rejects terms if rounding reduces a positive merchant share to zero', () => {
    const split: [Address, string][] = [
      [first, '99.9999'],
      [second, '0.00000005'],
    ]
    expect(allocate(termsOf({ fee: '0', split }))).to.deep.equal(refused)
  })

  it('makes the treasury the only recipient for a fee of 100 %', () => {
    const result = allocate(termsOf({ fee: '100' }))
    expect(result).to.have.nested.property('split.recipients').that.deep.equals([treasury])
  })

  it('throws for an incentive above 5 %, the contract’s maximum', () => {
    expect(() => allocate(termsOf({ fee: '10', incentive: '5.0001' }))).to.throw('50001 millionths exceeds')
  })
})

describe('distribute', () => {
  it('rounds payouts down and pays the remainder to the first recipient', () => {
    const split = {
      recipients: [merchant, treasury],
      allocations: [990_991, 9_009],
      totalAllocation: 1_000_000,
      distributionIncentive: 1_000,
    }
    expect(distribute({ amount: atomic(100_000_001n), split })).to.deep.equal({
      incentive: 100_000n,
      payouts: [99_000_002n, 899_999n],
    })
  })
})
