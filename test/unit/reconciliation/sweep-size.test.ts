import { expect } from 'chai'
import { getSweepSize } from '../../../indexer/reconciliation/sweep-size.ts'
import { configureNodes } from '../../../shared/domain/node-config.ts'

describe('the maximum number of charges whose balances are compared in one turn', () => {
  const sizeOf = (family: 'evm' | 'tron', limits: object) =>
    getSweepSize(
      { family, nodes: configureNodes([{ url: 'https://a.example', ...limits }]), budgetShare: 0.8 },
      30,
    )

  it('is 5,000 if the nodes have no limits', () => {
    expect(sizeOf('evm', {})).to.equal(5_000)
    expect(sizeOf('tron', {})).to.equal(5_000)
  })

  it('is 4 on TRON with 100,000 requests a day, and at least 1, because each charge needs a request', () => {
    expect(sizeOf('tron', { requestsPerSecond: 15, requestsPerDay: 100_000 })).to.equal(4)
    expect(sizeOf('tron', { requestsPerDay: 100 })).to.equal(1)
  })

  it('is 3,500 on EVM with 2 requests a second, because a request reads 500 charges', () => {
    expect(sizeOf('evm', { requestsPerSecond: 2 })).to.equal(3_500)
  })
})
