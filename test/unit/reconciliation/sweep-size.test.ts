import { expect } from 'chai'
import { getSweepSize } from '../../../indexer/reconciliation/sweep-size.ts'
import { configureNodes } from '../../../shared/domain/node-config.ts'

describe('the charges whose balances are compared in one turn', () => {
  const sizeOf = (family: 'evm' | 'tron', limits: object) =>
    getSweepSize(
      { family, nodes: configureNodes([{ url: 'https://a.example', ...limits }]), budgetShare: 0.8 },
      30,
    )

  it('are thousands without limits', () => {
    expect(sizeOf('evm', {})).to.equal(5_000)
    expect(sizeOf('tron', {})).to.equal(5_000)
  })

  it('are a few on TRON with limits, where each balance needs a request', () => {
    expect(sizeOf('tron', { requestsPerSecond: 15, requestsPerDay: 100_000 })).to.equal(4)
    expect(sizeOf('tron', { requestsPerDay: 100 })).to.equal(1)
  })

  it('are thousands on EVM with limits, where a request reads 500 charges', () => {
    expect(sizeOf('evm', { requestsPerSecond: 2 })).to.equal(3_500)
  })
})
