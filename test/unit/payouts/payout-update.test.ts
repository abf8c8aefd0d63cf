import { expect } from 'chai'
import { derivePayoutUpdate } from '../../../indexer/payouts/payout-update.ts'
import type { PairLedger } from '../../../shared/db/charges/daemon/charge-state.ts'
import { atto } from '../../../shared/domain/money.ts'
import { buildSplitEvent, CHAINS, getTokenAddress, units } from '../../support/factories.ts'

const DISTRIBUTION = buildSplitEvent({ amountAtomic: units(10) })
const SEEN = { distributorAddress: DISTRIBUTION.account, txHash: DISTRIBUTION.txHash }

describe('the effect of split events on a payout', () => {
  it('is null without events while an amount is owed', () => {
    expect(derivePayoutUpdate([], { ledger: ledger(0), graceSeconds: 5 })).to.equal(null)
  })

  it('is `payout.covered` once distributions at depth leave no amount owed', () => {
    const news = derivePayoutUpdate([DISTRIBUTION], { ledger: ledger(10), graceSeconds: 5 })
    expect(news).to.deep.equal({ type: 'payout.covered', distribution: SEEN, isOffered: true })
  })

  it('is not `payout.covered` while the merchant’s share is held', () => {
    const held = { ...ledger(10), merchantHeldAtomic: units(9) }
    const news = derivePayoutUpdate([DISTRIBUTION], { ledger: held, graceSeconds: 5 })
    expect(news).to.deep.equal({ type: 'distribution.seen', distribution: SEEN })
  })

  it('is `distribution.fell_short` if a distribution at depth leaves an amount owed', () => {
    const news = derivePayoutUpdate([DISTRIBUTION], { ledger: ledger(9), graceSeconds: 5 })
    expect(news).to.deep.equal({ type: 'distribution.fell_short', graceSeconds: 5 })
  })

  it('is `distribution.seen` while the distribution is not at depth', () => {
    const shallow = { ...DISTRIBUTION, isDeep: false }
    const news = derivePayoutUpdate([shallow], { ledger: ledger(0), graceSeconds: 5 })
    expect(news).to.deep.equal({ type: 'distribution.seen', distribution: SEEN })
  })

  it('is `distribution.orphaned` if a reorganization removes every seen distribution', () => {
    const gone = { ...DISTRIBUTION, isDeep: false, isOrphaned: true }
    const news = derivePayoutUpdate([gone], { ledger: ledger(0), graceSeconds: 5 })
    expect(news).to.deep.equal({ type: 'distribution.orphaned', graceSeconds: 5 })
  })
})

function ledger(distributed: number): PairLedger {
  return {
    ...{ chargeId: 'ch_1', network: CHAINS.base.network, token: 'USDC', chainId: CHAINS.base.chainId },
    ...{ tokenAddress: getTokenAddress('base'), decimals: 6 },
    ...{
      creditedAtomic: units(10),
      settlementAtomic: units(10),
      withdrawnAtomic: null,
      releasedAtomic: null,
    },
    ...{
      creditedDustAtto: atto(0n),
      settlementDustAtto: atto(0n),
      withdrawnDustAtto: atto(0n),
      releasedDustAtto: atto(0n),
    },
    ...{ distributedAtomic: units(distributed), merchantHeldAtomic: units(0) },
  }
}
