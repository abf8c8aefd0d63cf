import { expect } from 'chai'
import type { Address } from '../../../shared/domain/address.ts'
import {
  type CountedCredit,
  type CountedMovement,
  findEscrowEnd,
  isEscrowDust,
} from '../../../shared/domain/escrow-end.ts'
import { atto, micro } from '../../../shared/domain/money.ts'

const PAYER = `0x${'77'.repeat(20)}` as Address
const STRANGER = `0x${'99'.repeat(20)}` as Address

const RELEASE = { action: 'release', byEndpoint: false }
const REFUND = { action: 'refund', byEndpoint: false }

/** Credits and transfers of a charge of 10 dollars, and how its escrow ended. */
const CASES: readonly (readonly [
  string,
  readonly CountedCredit[],
  readonly CountedMovement[],
  object | null,
])[] = [
  ['nothing has left the Safe', [credit(10)], [], null],
  ['everything reached the split', [credit(10)], [into(10)], RELEASE],
  ['everything went elsewhere', [credit(10)], [elsewhere(10)], REFUND],
  ['only the token’s fee has left the Safe', [credit(10)], [elsewhere(0.01)], null],
  [
    'the token’s fee was deducted and the rest reached the split',
    [credit(10)],
    [elsewhere(0.01), into(9.99)],
    RELEASE,
  ],
  ['the releaser released a cent', [credit(10)], [into(0.01)], null],
  ['the releaser refunded a cent', [credit(10)], [elsewhere(0.01)], null],
  ['99 percent left and reached the split', [credit(10)], [into(9.9)], RELEASE],
  ['a little less than 99 percent left', [credit(10)], [into(9.89)], null],
  ['99 percent of the outgoing amount reached the split', [credit(10)], [into(9.9), elsewhere(0.1)], RELEASE],
  [
    'a little less than 99 percent of the outgoing amount reached the split',
    [credit(10)],
    [into(9.89), elsewhere(0.11)],
    REFUND,
  ],
  [
    'the balance reached the split in two steps',
    [credit(10)],
    [into(4), into(6, { timestamp: 300 })],
    RELEASE,
  ],
  ['one half was refunded and the other half released', [credit(10)], [elsewhere(5), into(5)], REFUND],
  ['one of two pairs was released', [credit(5), credit(5, { pair: 'USDT/bnb' })], [into(5)], null],
  ['both pairs were released', [credit(5), credit(5, { pair: 'USDT/bnb' })], [into(5), into(5)], RELEASE],
  [
    'a stranger’s dust stays in the Safe',
    [credit(10), credit(0.09, { sender: STRANGER })],
    [into(10)],
    RELEASE,
  ],
  ['only dust was credited', [credit(0.09, { sender: STRANGER })], [elsewhere(0.09)], null],
  ['two senders’ dust was credited', [credit(0.09), credit(0.09, { sender: STRANGER })], [into(0.18)], null],
  ['one sender’s dust added up to 1 percent', [credit(0.05), credit(0.05)], [into(0.1)], RELEASE],
  [
    'one sender’s dust added up to 1 percent, and only a part of it left',
    [credit(0.05), credit(0.05)],
    [into(0.06)],
    null,
  ],
  [
    'one sender’s dust is on two pairs',
    [credit(0.09), credit(0.09, { pair: 'USDT/bnb' })],
    [into(0.18)],
    null,
  ],
  ['more was credited after the release', [credit(10), credit(10, { timestamp: 300 })], [into(10)], RELEASE],
  ['the transfer to the split preceded the credit', [credit(10, { timestamp: 300 })], [into(10)], null],
  ['nothing was ever credited', [], [into(10)], null],
  [
    'an order moved its signed amount',
    [credit(10)],
    [into(10, { orderedAction: 'release' })],
    ordered('release'),
  ],
  [
    'an order released the rest after a partial refund on chain',
    [credit(10)],
    [elsewhere(2), into(8, { timestamp: 300, orderedAction: 'release' })],
    ordered('release'),
  ],
  ['an order moved only dust', [credit(0.09)], [elsewhere(0.09, { orderedAction: 'refund' })], null],
  [
    'an order followed the end of the escrow',
    [credit(10)],
    [elsewhere(9.95), into(0.05, { timestamp: 300, orderedAction: 'release' })],
    REFUND,
  ],
]

describe('findEscrowEnd', () => {
  for (const [title, credits, movements, end] of CASES) {
    it(`returns ${end === null ? 'no end' : JSON.stringify(end)} if ${title}`, () => {
      expect(findEscrowEnd({ amountMicro: micro(10_000_000n), credits, movements })).to.deep.equal(end)
    })
  }

  it('uses the first second in which the conditions hold, for any order of the transfers', () => {
    const movements = [elsewhere(10, { timestamp: 300 }), into(10)]
    const record = { amountMicro: micro(10_000_000n), credits: [credit(10)], movements }
    expect(findEscrowEnd(record)).to.deep.equal(RELEASE)
    expect(findEscrowEnd({ ...record, movements: movements.toReversed() })).to.deep.equal(RELEASE)
  })
})

describe('isEscrowDust', () => {
  it('returns true only below 1 percent of the charge’s amount', () => {
    const amount = micro(10_000_000n)
    expect(isEscrowDust(atto(10n ** 17n - 1n), amount)).to.equal(true)
    expect(isEscrowDust(atto(10n ** 17n), amount)).to.equal(false)
  })
})

function credit(amount: number, changes: Partial<CountedCredit> = {}): CountedCredit {
  return { pair: 'USDC/base', sender: PAYER, amountAtto: dollars(amount), timestamp: 100, ...changes }
}

function into(amount: number, changes: Partial<CountedMovement> = {}): CountedMovement {
  return {
    ...{ amountAtto: dollars(amount), isIntoSplit: true, orderedAction: null, timestamp: 200 },
    ...changes,
  }
}

function elsewhere(amount: number, changes: Partial<CountedMovement> = {}): CountedMovement {
  return into(amount, { isIntoSplit: false, ...changes })
}

function ordered(action: string) {
  return { action, byEndpoint: true }
}

function dollars(amount: number) {
  return atto(BigInt(Math.round(amount * 100)) * 10n ** 16n)
}
