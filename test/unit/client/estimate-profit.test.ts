import { expect } from 'chai'
import { estimateProfit, isProfitable } from '../../../api/client/estimate-profit.ts'

/** A reward of 1 dollar, for 150,000 gas at 2 gwei with ether at 3,000 dollars. */
const DISTRIBUTION = {
  rewardAtomic: 1_000_000n,
  decimals: 6,
  costAtomic: 150_000n * 2_000_000_000n,
  coinDecimals: 18,
  coinUsd: 3000,
}

describe('estimateProfit', () => {
  it('returns reward and cost in dollars', () => {
    const { rewardUsd, costUsd } = estimateProfit(DISTRIBUTION)
    expect(rewardUsd).to.equal(1)
    expect(costUsd).to.be.closeTo(0.9, 1e-9)
  })

  it('reads the cost with the coin’s decimals', () => {
    const onTron = { ...DISTRIBUTION, costAtomic: 30_000_000n, coinDecimals: 6, coinUsd: 0.3 }
    expect(estimateProfit(onTron).costUsd).to.be.closeTo(9, 1e-9)
  })

  it('reads the reward with the token’s decimals', () => {
    const pegged = { ...DISTRIBUTION, rewardAtomic: 10n ** 18n, decimals: 18 }
    expect(estimateProfit(pegged).rewardUsd).to.equal(1)
  })
})

describe('isProfitable', () => {
  it('requires the reward to be at least the cost times the margin', () => {
    expect(isProfitable({ rewardUsd: 1.2, costUsd: 1 }, { margin: 1.2 })).to.equal(true)
    expect(isProfitable({ rewardUsd: 1.19, costUsd: 1 }, { margin: 1.2 })).to.equal(false)
  })

  it('returns false for a reward of zero, even if the cost is zero', () => {
    expect(isProfitable({ rewardUsd: 0, costUsd: 0 }, { margin: 1.2 })).to.equal(false)
  })
})
