import { expect } from 'chai'
import type { Address, Hex } from '../../shared/domain/address.ts'
import type { ChargeRecord } from '../../shared/domain/charge.ts'
import { findSecondEnds, findStrayMoney, findWrongEnd, findWrongOrders } from './escrow-invariants.ts'
import type { SafeCredit, SafeMove } from './escrow-truth.ts'
import { PAYER, RELAYER, RELEASER, STRANGER } from './world.ts'

const TOKEN = `0x${'70'.repeat(20)}` as Address
const SPLIT = `0x${'5b'.repeat(20)}` as Address
const CHARGE = { id: 'ch_1', amountMicro: 10_000_000n, splitAddress: SPLIT } as ChargeRecord

const HELD = { id: 'ch_1', action: null, endedAt: null, events: [] }
/** Second in which the service signed every order. */
const SIGNED = 11

describe('the invariants of escrows', () => {
  it('hold for one order that released the whole payment', () => {
    const truth = { credits: [credit(10)], moves: [move(10)] }
    expect(problemsOf(truth, [order()], 'release')).to.deep.equal([])
  })

  it('fail if an order is never resolved, or is final without its transfer', () => {
    expect(findWrongOrders([order({ status: 'mined' })], { moves: [move(10)] })).to.have.length(1)
    expect(findWrongOrders([order()], { moves: [move(9)] })).to.have.length(1)
  })

  it('fail if an order is executed twice, unless the second transfer is of an equal order or not our relayer’s', () => {
    const again = move(10, { txHash: '0x02', number: 4, timestamp: 14 })
    const moves = [move(10), again]
    expect(findWrongOrders([order()], { moves })).to.deep.equal(['order req_1 was executed 2 times'])
    for (const by of [RELEASER, STRANGER])
      expect(findWrongOrders([order()], { moves: [move(10), { ...again, by }] })).to.deep.equal([])
    expect(findWrongOrders([order(), order()], { moves })).to.deep.equal([])
    const parts = [move(6), move(4, { to: PAYER })]
    expect(findWrongOrders([order()], { moves: parts }), 'two transfers of one transaction').to.deep.equal([])
  })

  it('fail if a sender of dust receives the payment, unless the releaser sends it', () => {
    const credits = [credit(10), credit(0.05, { sender: STRANGER })]
    const stray = move(10, { to: STRANGER })
    expect(findStrayMoney(CHARGE, { credits, moves: [stray] })).to.have.length(1)
    expect(findStrayMoney(CHARGE, { credits, moves: [{ ...stray, by: RELEASER }] })).to.deep.equal([])
    expect(findStrayMoney(CHARGE, { credits, moves: [move(10, { to: PAYER })] })).to.deep.equal([])
  })

  it('fail if a second order is executed after the first has ended the escrow', () => {
    const truth = {
      credits: [credit(10)],
      moves: [move(6), move(4, { txHash: '0x02', number: 4, timestamp: 14 })],
    }
    const orders = [order({ amountAtomic: 6_000_000n }), order({ amountAtomic: 4_000_000n })]
    expect(findSecondEnds(CHARGE, { truth, orders, now: HELD })).to.have.length(1)
    expect(findSecondEnds(CHARGE, { truth, orders: orders.slice(0, 1), now: HELD })).to.deep.equal([])
  })

  it('allow several orders after the escrow ended without an order, but only until the rows show the end', () => {
    const late = [4, 3].map((dollars, index) =>
      move(dollars, { txHash: `0x1${index}`, number: 4 + index, timestamp: 14 + index }),
    )
    const truth = { credits: [credit(10)], moves: [move(10), ...late] }
    const orders = late.map(({ amountAtomic }) => order({ amountAtomic, afterBlock: 2 }))
    const endedAt = (seconds: number) => ({ ...HELD, action: 'release' as const, endedAt: at(seconds) })
    expect(findSecondEnds(CHARGE, { truth, orders, now: endedAt(SIGNED + 1) })).to.deep.equal([])
    expect(findSecondEnds(CHARGE, { truth, orders, now: endedAt(SIGNED) })).to.have.length(1)
    const byOrder = [order(), ...orders]
    expect(findSecondEnds(CHARGE, { truth, orders: byOrder, now: endedAt(SIGNED + 1) })).to.have.length(1)
  })

  it('fail if the rows lack an escrow’s end, or show an end or event without its transfers or its order', () => {
    const truth = { credits: [credit(10)], moves: [move(10)] }
    expect(problemsOf(truth, [order()], null)).to.have.length(1)
    expect(problemsOf(truth, [order()], 'refund')).to.have.length(1)
    expect(problemsOf(truth, [], 'release'), 'an event without an order').to.have.length(1)
    expect(problemsOf({ ...truth, moves: [move(9.8)] }, [], 'release'), 'less than 99 %').to.have.length(1)
  })

  type Truth = { readonly credits: readonly SafeCredit[]; readonly moves: readonly SafeMove[] }

  function problemsOf(
    truth: Truth,
    orders: readonly ReturnType<typeof order>[],
    action: 'release' | 'refund' | null,
  ): readonly string[] {
    const names = { release: ['charge.escrow_released'], refund: ['charge.escrow_refunded'] }
    const now = { ...HELD, action, events: action === null ? [] : names[action] }
    return findWrongEnd(CHARGE, { truth, orders, now })
  }
})

function flow(dollars: number, { number = 2, timestamp = 12 } = {}) {
  const amountAtomic = BigInt(Math.round(dollars * 1e6))
  return {
    ...{ chainId: 1, token: TOKEN, amountAtomic, amountAtto: amountAtomic * 10n ** 12n, number, timestamp },
  }
}

function credit(dollars: number, { sender = PAYER } = {}): SafeCredit {
  return { ...flow(dollars, { number: 1, timestamp: 10 }), sender }
}

function move(dollars: number, changes: Partial<SafeMove> = {}): SafeMove {
  const { to = SPLIT, txHash = '0x01' as Hex, by = RELAYER, ...place } = changes
  return { ...flow(dollars, place), to, txHash, by, isIntoSplit: to === SPLIT }
}

function order(
  changes: { readonly status?: string; readonly amountAtomic?: bigint; readonly afterBlock?: number } = {},
) {
  return {
    ...{ requestId: 'req_1', chargeId: 'ch_1', status: 'final', action: 'release' as const, chainId: 1 },
    ...{ tokenAddress: TOKEN, destination: SPLIT, amountAtomic: 10_000_000n, afterBlock: 1 },
    ...{ createdAt: at(SIGNED), ...changes },
  }
}

function at(seconds: number): Date {
  return new Date(seconds * 1000)
}
