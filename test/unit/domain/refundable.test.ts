import { expect } from 'chai'
import { atomic } from '../../../shared/domain/money.ts'
import { presentRefundable } from '../../../shared/domain/refund/refundable.ts'

const UNPAID = { openAtomic: atomic(0n), lateAtomic: atomic(0n), countedAtomic: atomic(0n) }
const ON_BASE = { token: 'USDC', network: 'base' } as const

describe('the refundable amount of a charge', () => {
  it('is each pair’s received amount less open, late and counted refunds, exact to the unit', () => {
    const received = { ...ON_BASE, decimals: 18, receivedAtomic: atomic(10n ** 18n) }
    const refunds = { openAtomic: atomic(1n), lateAtomic: atomic(2n), countedAtomic: atomic(3n) }
    expect(presentRefundable([{ ...received, ...refunds }])).to.deep.equal([
      { ...ON_BASE, amount: 1, amountExact: '0.999999999999999994' },
    ])
  })

  it('lists no pair without a remaining amount', () => {
    const pair = { ...ON_BASE, decimals: 6, receivedAtomic: atomic(5n), ...UNPAID }
    expect(presentRefundable([{ ...pair, countedAtomic: atomic(5n) }])).to.deep.equal([])
    expect(presentRefundable([{ ...pair, openAtomic: atomic(6n) }])).to.deep.equal([])
  })

  it('lists a pair only once if the charge was paid both on a testnet and in the sandbox', () => {
    const entry = { ...ON_BASE, ...UNPAID }
    const onChain = { ...entry, decimals: 6, receivedAtomic: atomic(2_000_000n) }
    const simulated = { ...entry, decimals: 18, receivedAtomic: atomic(3n * 10n ** 18n) }
    const show = (amount: number) => [{ ...ON_BASE, amount, amountExact: String(amount) }]
    expect(presentRefundable([onChain, simulated])).to.deep.equal(show(2))
    expect(presentRefundable([{ ...onChain, openAtomic: onChain.receivedAtomic }, simulated])).to.deep.equal(
      show(3),
    )
  })
})
