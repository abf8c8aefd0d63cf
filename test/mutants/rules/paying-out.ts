import type { Mutant } from '../mutant.ts'

const ALLOCATION = 'test/property/allocation.test.ts'
const MONEY = 'test/property/money.test.ts'
const DECIDE = 'test/unit/payouts/decide-payout.test.ts'

/** From a confirmed charge to the wallets. */
export const PAYING_OUT_RULES: readonly Mutant[] = [
  {
    rule: 'the parts of a split sum to the whole',
    file: 'shared/domain/allocation.ts',
    take: 'rest - allocation, TOTAL_ALLOCATION)',
    put: 'rest - allocation, TOTAL_ALLOCATION - 1)',
    test: { file: ALLOCATION, title: 'the allocations sum to exactly 1,000,000' },
  },
  {
    rule: 'a split recipient is never rounded to nothing',
    file: 'shared/domain/allocation.ts',
    take: 'allocation: Math.max(1, allocationOf(grossShare, incentive))',
    put: 'allocation: allocationOf(grossShare, incentive)',
    test: { file: ALLOCATION, title: 'every other recipient, the treasury too, gets at least theirs' },
  },
  {
    rule: 'a grossed-up amount nets the merchant at least what he asked for',
    file: 'shared/domain/fee.ts',
    take: 'micro(divCeil(terms.requestedMicro * HUNDRED_PERCENT, netPercent))',
    put: 'micro((terms.requestedMicro * HUNDRED_PERCENT) / netPercent)',
    test: { file: MONEY, title: 'a grossed-up amount never nets less than was requested' },
  },
  {
    rule: "the merchant's own held share keeps the settlement pending",
    file: 'indexer/payouts/pair-ledgers.ts',
    take: ' && merchantHeldAtomic <= 0n',
    put: '',
    test: {
      file: 'test/property/charge-settlement.test.ts',
      title: 'is completed exactly when what made the charge confirmed or underpaid is covered',
    },
  },
  {
    rule: 'a failed payout is completed by whoever distributes later',
    file: 'machines/payout.ts',
    take: "failed: { on: { 'payout.covered': coveredUnclaimed, 'funds.added': reopened } },",
    put: "failed: { on: { 'funds.added': reopened } },",
    test: { file: DECIDE, title: 'is completed by whoever distributed, also after it has failed' },
  },
  {
    rule: 'the last attempt fails the payout',
    file: 'indexer/payouts/decide-payout.ts',
    take: 'isLast: attempts >= news.attemptDelaysSeconds.length',
    put: 'isLast: attempts > news.attemptDelaysSeconds.length',
    test: { file: DECIDE, title: 'fails with the last attempt of the schedule' },
  },
]
