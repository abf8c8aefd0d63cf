import { expect } from 'chai'
import * as fc from 'fast-check'
import type { Address } from '../../shared/domain/address.ts'
import { type AllocationTerms, allocate, distribute, type Split } from '../../shared/domain/allocation.ts'
import { atomic } from '../../shared/domain/money.ts'
import { HUNDRED_PERCENT, percent } from '../../shared/domain/percent.ts'
import { validateSplit } from '../../shared/domain/split-address.ts'

const addressOf = (byte: number) => `0x${byte.toString(16).padStart(2, '0').repeat(20)}` as Address
const merchant = addressOf(0xaa)
const treasury = addressOf(0xff)

/** Percentages up to a maximum in hundredths of a percent, with four fractional digits. */
const feePercents = (maxHundredths: number) =>
  fc.integer({ min: 0, max: maxHundredths * 100 }).map((units) => percent(BigInt(units) * 10n ** 16n))

/** Terms with up to five split recipients, including duplicates, who get up to the whole amount after the fee. */
const terms: fc.Arbitrary<AllocationTerms> = fc
  .record({
    feePercent: feePercents(9_999),
    distributorFeePercent: feePercents(500),
    weights: fc.array(fc.oneof(fc.bigInt({ min: 1n, max: 100n }), fc.bigInt({ min: 1n, max: 10n ** 14n })), {
      maxLength: 5,
    }),
    /** Share of the amount after the fee for the recipients, in ten-thousandths; the whole in a quarter of the cases. */
    given: fc.oneof(
      { arbitrary: fc.constant(10_000n), weight: 1 },
      { arbitrary: fc.bigInt(1n, 10_000n), weight: 3 },
    ),
  })
  .map(({ weights, given, ...fees }) => {
    const available = ((HUNDRED_PERCENT - fees.feePercent) * given) / 10_000n
    const total = weights.reduce((sum, weight) => sum + weight, 0n)
    const percents = weights.map((weight) => (available * weight) / total).filter((share) => share > 0n)
    const splitRecipients = percents.map((share, index) => ({
      address: addressOf(1 + (index % 3)),
      percent: percent(share),
    }))
    return { ...fees, merchant, treasury, splitRecipients }
  })

/**
 * Returns the exact shares as numerators over one denominator, so that no invariant is checked with a rounded number.
 */
function exactShares(input: AllocationTerms) {
  const { feePercent, distributorFeePercent } = input
  const incentive =
    (distributorFeePercent < feePercent ? distributorFeePercent : feePercent) * HUNDRED_PERCENT
  const net = HUNDRED_PERCENT - feePercent
  const recipients = input.splitRecipients.map((recipient) => recipient.percent * net)
  const pot = HUNDRED_PERCENT * HUNDRED_PERCENT - incentive
  return {
    /** The amount after the incentive, which the following shares divide. */
    pot,
    merchant: recipients.reduce((rest, share) => rest - share, net * HUNDRED_PERCENT),
    recipients,
    treasury: feePercent * HUNDRED_PERCENT - incentive,
    /** Number of recipients whose share is below a millionth of the pot, and is therefore raised to a millionth. */
    raisedCount: BigInt(recipients.filter((share) => share * 1_000_000n < pot).length),
  }
}

function forEverySplit(law: (split: Split, input: AllocationTerms) => void) {
  fc.assert(
    fc.property(terms, (input) => {
      const result = allocate(input)
      fc.pre(result.ok)
      if (result.ok) law(result.split, input)
    }),
    { numRuns: 500 },
  )
}

describe('invariants of allocation (decisions 1.7)', () => {
  it('the allocations sum to exactly 1,000,000 and satisfy the contract’s rules', () => {
    forEverySplit((split) => {
      expect(split.allocations.reduce((sum, allocation) => sum + allocation, 0)).to.equal(1_000_000)
      validateSplit(split)
    })
  })

  it('the merchant gets at least the exact share, minus one millionth per recipient with a raised share', () => {
    forEverySplit((split, input) => {
      const exact = exactShares(input)
      const allocation = split.recipients[0] === merchant ? BigInt(split.allocations[0] ?? 0) : 0n
      expect((allocation + exact.raisedCount) * exact.pot >= exact.merchant * 1_000_000n).to.equal(true)
    })
  })

  it('every other recipient, including the treasury, gets at least the exact share minus one millionth', () => {
    forEverySplit((split, input) => {
      const exact = exactShares(input)
      const shares = [...exact.recipients, exact.treasury]
      const offset = split.recipients[0] === merchant ? 1 : 0
      shares.forEach((share, index) => {
        const allocation = BigInt(split.allocations[offset + index] ?? 0)
        expect((allocation + 1n) * exact.pot > share * 1_000_000n).to.equal(true)
      })
    })
  })

  it('percentages within the rest after the fee are rejected only if raised shares take the merchant’s whole share', () => {
    fc.assert(
      fc.property(terms, (input) => {
        if (allocate(input).ok) return
        const exact = exactShares(input)
        expect(exact.merchant * 1_000_000n <= exact.raisedCount * exact.pot).to.equal(true)
      }),
    )
  })

  it('every sum of percentages above the rest after the fee is rejected', () => {
    fc.assert(
      fc.property(terms, fc.bigInt({ min: 1n, max: HUNDRED_PERCENT }), (input, excess) => {
        const given = input.splitRecipients.reduce((sum, recipient) => sum + recipient.percent, 0n)
        const available = HUNDRED_PERCENT - input.feePercent
        const oneMore = { address: addressOf(9), percent: percent(available - given + excess) }
        expect(allocate({ ...input, splitRecipients: [...input.splitRecipients, oneMore] }).ok).to.equal(
          false,
        )
      }),
    )
  })
})

describe('invariants of distribution', () => {
  const paidAmounts = fc
    .oneof(fc.bigInt({ min: 1n, max: 1_000n }), fc.bigInt({ min: 1n, max: 10n ** 30n }))
    .map(atomic)

  function forEveryDistribution(law: (amount: bigint, split: Split, input: AllocationTerms) => void) {
    fc.assert(
      fc.property(terms, paidAmounts, (input, amount) => {
        const result = allocate(input)
        fc.pre(result.ok)
        if (result.ok) law(amount, result.split, input)
      }),
      { numRuns: 500 },
    )
  }

  it('incentive and payouts sum to exactly the distributed amount', () => {
    forEveryDistribution((amount, split) => {
      const { incentive, payouts } = distribute({ amount: atomic(amount), split })
      expect(payouts.length).to.equal(split.recipients.length)
      expect(payouts.reduce((sum, payout) => sum + payout, incentive as bigint)).to.equal(amount)
    })
  })

  it('every recipient gets at least their allocation of the pot, minus one atomic unit', () => {
    forEveryDistribution((amount, split) => {
      const { incentive, payouts } = distribute({ amount: atomic(amount), split })
      payouts.forEach((payout, index) => {
        const exactMillionths = (amount - incentive) * BigInt(split.allocations[index] ?? 0)
        expect((payout + 1n) * 1_000_000n > exactMillionths).to.equal(true)
      })
    })
  })

  it('without split recipients the merchant gets at least the amount minus the fee', () => {
    forEveryDistribution((amount, split, input) => {
      fc.pre(input.splitRecipients.length === 0)
      const { payouts } = distribute({ amount: atomic(amount), split })
      const merchantMillionths = amount * (HUNDRED_PERCENT - input.feePercent)
      expect((payouts[0] ?? 0n) * HUNDRED_PERCENT >= merchantMillionths).to.equal(true)
    })
  })
})
