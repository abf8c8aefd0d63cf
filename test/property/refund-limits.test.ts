import { expect } from 'chai'
import fc from 'fast-check'
import { decideRefund, type RefundNews } from '../../indexer/refunds/decide-refund.ts'
import type { RefundState, RefundTransferRow } from '../../shared/db/refunds/daemon/update-refund.ts'
import type { Address } from '../../shared/domain/address.ts'
import { AppError } from '../../shared/domain/errors.ts'
import { type AtomicUnits, atomic, atto } from '../../shared/domain/money.ts'
import { isOpenRefund } from '../../shared/domain/refund/refund.ts'
import {
  getCountedPart,
  getRefundable,
  planRefundAmount,
  REFUND_AMOUNT,
  type RefundBasis,
} from '../../shared/domain/refund/refund-limits.ts'

/** One step in the life of a charge's refunds; `at` chooses the refund. */
type Step = {
  readonly kind:
    | 'declare'
    | 'ask'
    | 'claim'
    | 'approve'
    | 'reject'
    | 'see'
    | 'pay'
    | 'vanish'
    | 'cancel'
    | 'expire'
  readonly at: number
  readonly amount: bigint
}

type Refund = { readonly amountAtomic: AtomicUnits; state: RefundState }

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record({
    kind: fc.constantFrom(
      ...([
        'declare',
        'ask',
        'claim',
        'approve',
        'reject',
        'see',
        'pay',
        'vanish',
        'cancel',
        'expire',
      ] as const),
    ),
    at: fc.nat(9),
    amount: fc.bigInt(1n, 60n),
  }),
  { maxLength: 40 },
)

/**
 * Sequences of steps that start with a refund whose transfer is seen after its end, because random steps rarely lead to
 * this state.
 */
const lateLives: fc.Arbitrary<readonly Step[]> = fc
  .tuple(fc.constantFrom('cancel', 'expire'), fc.bigInt(1n, 60n), steps)
  .map(([end, amount, rest]) => {
    const start = (['declare', end, 'see'] as const).map((kind) => ({ kind, at: 0, amount }))
    return [...start, ...rest]
  })

describe('the refunds of a charge', () => {
  it('never reserve and count more in total than the charge received', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 100n), steps, (received, life) => {
        const refunds: Refund[] = []
        for (const step of life) {
          take(refunds, step, received)
          const { openAtomic, countedAtomic } = basisOf(refunds, received)
          expect(openAtomic + countedAtomic <= received, 'open and counted').to.equal(true)
        }
      }),
    )
  })

  it('count the full amount of an open refund that is paid', () => {
    fc.assert(
      fc.property(fc.bigInt(1n, 100n), steps, (received, life) => {
        const refunds: Refund[] = []
        for (const step of life) {
          const paid = step.kind === 'pay' ? refunds[step.at] : undefined
          const isOpen = paid !== undefined && isWaiting(paid) && !hasEnded(paid)
          take(refunds, step, received)
          if (isOpen) expect(paid.state.countedAtomic).to.equal(paid.amountAtomic)
        }
      }),
    )
  })
})

describe('a refund', () => {
  it('reserves its amount if its transfer is seen after its end, and ends again if the transfer vanishes', () => {
    fc.assert(
      fc.property(fc.bigInt(60n, 100n), lateLives, (received, life) => {
        const refunds: Refund[] = []
        for (const step of life) {
          const refund = refunds[step.at]
          const before = refund?.state
          take(refunds, step, received)
          if (refund === undefined || before === undefined || !hasEnded(refund)) continue
          const end = refund.state.canceledAt === null ? 'expired' : 'canceled'
          if (step.kind === 'vanish' && before.status === 'seen') expect(refund.state.status).to.equal(end)
          if (refund.state.status !== 'seen') continue
          const { openAtomic, countedAtomic } = basisOf(refunds, received)
          const left = received - openAtomic - countedAtomic - refund.amountAtomic
          expect(getRefundable(basisOf(refunds, received)) <= (left > 0n ? left : 0n)).to.equal(true)
        }
      }),
    )
  })

  it('has no destination while it awaits one, and receives one only by the merchant’s approval', () => {
    fc.assert(
      fc.property(steps, (life) => {
        const refunds: Refund[] = []
        for (const step of life) {
          const before = refunds[step.at]?.state
          take(refunds, step, 100n)
          const after = refunds[step.at]?.state
          if (before?.status === 'awaiting_destination' || before?.status === 'awaiting_approval')
            expect(after?.destination === null || step.kind === 'approve').to.equal(true)
          for (const { state } of refunds)
            if (state.status === 'awaiting_destination' || state.status === 'awaiting_approval')
              expect(state.destination).to.equal(null)
        }
      }),
    )
  })
})

describe('the amount of a refund', () => {
  const basis = (receivedAtomic: bigint): RefundBasis => ({
    receivedAtomic: atomic(receivedAtomic),
    ...{ openAtomic: atomic(0n), lateAtomic: atomic(0n), countedAtomic: atomic(0n) },
  })

  it('is exactly the requested decimal, and never more than the remaining amount', () => {
    fc.assert(
      fc.property(
        fc.bigInt(0n, 10n ** 24n),
        fc.bigInt(1n, 10n ** 20n),
        fc.nat(18),
        (left, asked, decimals) => {
          const text = toText(asked, decimals)
          expect(REFUND_AMOUNT.test(text) || asked >= 10n ** BigInt(18 + decimals)).to.equal(true)
          const planned = plan(text, left, decimals)
          expect(planned).to.equal(
            left >= asked ? asked : left === 0n ? 'nothing_received' : 'refund_exceeds_received',
          )
        },
      ),
    )
  })

  it('is the excess for `overpayment`, and at most the remaining amount', () => {
    fc.assert(
      fc.property(fc.bigInt(1n, 1000n), fc.bigInt(-1000n, 1000n), (left, excess) => {
        const excessAtto = atto(excess * 10n ** 12n)
        const terms = { basis: basis(left), decimals: 6, excessAtto }
        if (excess <= 0n) expect(() => planRefundAmount('overpayment', terms)).to.throw(AppError)
        else expect(planRefundAmount('overpayment', terms)).to.equal(excess < left ? excess : left)
      }),
    )
  })

  function plan(text: string, left: bigint, decimals: number): bigint | string {
    try {
      return planRefundAmount(text, { basis: basis(left), decimals, excessAtto: atto(0n) })
    } catch (error) {
      return (error as AppError).code
    }
  }
})

const PAYER = `0x${'12'.repeat(20)}` as Address

const NEW: RefundState = {
  ...{
    status: 'awaiting_payment',
    destination: null,
    afterBlock: null,
    txHash: null,
    ordinal: null,
    blockNumber: null,
    blockHash: null,
  },
  ...{ blockTimestamp: null, agreedBy: null, countedAtomic: null },
  ...{ seenAt: null, confirmedAt: null, canceledAt: null, expiredAt: null },
}

const TRANSFER: RefundTransferRow = {
  ...{ txHash: '0x1', ordinal: 0, blockNumber: 1, blockHash: '0x2', blockTimestamp: 0 },
  agreedBy: ['one', 'two'],
}

function isWaiting({ state }: Refund): boolean {
  return state.status === 'awaiting_payment' || state.status === 'seen'
}

function hasEnded({ state }: Refund): boolean {
  return state.canceledAt !== null || state.expiredAt !== null
}

function take(refunds: Refund[], { kind, at, amount }: Step, received: bigint): void {
  if (kind === 'declare' || kind === 'ask') {
    const state: RefundState = kind === 'declare' ? NEW : { ...NEW, status: 'awaiting_destination' }
    if (amount <= getRefundable(basisOf(refunds, received)))
      refunds.push({ amountAtomic: atomic(amount), state })
    return
  }
  const refund = refunds[at]
  if (refund === undefined) return
  const others = refunds.filter((one) => one !== refund)
  const countedAtomic = getCountedPart(refund.amountAtomic, basisOf(others, received))
  refund.state = decideRefund(refund.state, newsOf(kind, countedAtomic), new Date(0)).state
}

function newsOf(kind: Exclude<Step['kind'], 'declare' | 'ask'>, countedAtomic: AtomicUnits): RefundNews {
  if (kind === 'claim') return { type: 'destination.claimed' }
  if (kind === 'reject') return { type: 'destination.rejected' }
  if (kind === 'approve') return { type: 'destination.approved', destination: PAYER, afterBlock: 1 }
  if (kind === 'see') return { type: 'transfer.seen', transfer: TRANSFER }
  if (kind === 'pay') return { type: 'transfer.final', transfer: null, countedAtomic }
  if (kind === 'vanish') return { type: 'transfer.vanished' }
  return { type: kind === 'cancel' ? 'cancel.ordered' : 'deadline.passed' }
}

function basisOf(refunds: readonly Refund[], received: bigint): RefundBasis {
  const open = refunds.filter((refund) => isOpenRefund(refund.state.status) && !hasEnded(refund))
  const late = refunds.filter((refund) => isWaiting(refund) && hasEnded(refund))
  const sum = (amounts: readonly bigint[]) => atomic(amounts.reduce((all, one) => all + one, 0n))
  return {
    receivedAtomic: atomic(received),
    openAtomic: sum(open.map(({ amountAtomic }) => amountAtomic)),
    lateAtomic: sum(late.map(({ amountAtomic }) => amountAtomic)),
    countedAtomic: sum(refunds.map(({ state }) => state.countedAtomic ?? 0n)),
  }
}

/** Formats units as a decimal, with all fractional digits. */
function toText(units: bigint, decimals: number): string {
  const digits = String(units).padStart(decimals + 1, '0')
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}
