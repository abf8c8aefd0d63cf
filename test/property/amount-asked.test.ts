import { expect } from 'chai'
import * as fc from 'fast-check'
import { atto, attoToAtomicCeil, microToAtto } from '../../shared/domain/money.ts'
import type { PairKey } from '../../shared/domain/networks.ts'
import { buildCheckout } from '../support/checkout.ts'
import { buildCharge, EXPIRES_AT } from '../support/factories.ts'

const AMOUNT = microToAtto(buildCharge().amountMicro)
const ORDERS = 1000

const PAIRS = [
  { key: 'USDC/base', decimals: 6 },
  { key: 'USDC/bnb', decimals: 18 },
] as const satisfies readonly { readonly key: PairKey; readonly decimals: number }[]

/** A transfer in the model, on an accepted pair. */
type Sent = { readonly amount: bigint; state: 'seen' | 'credited' | 'orphaned' }

/** A charge in the model. */
type Life = {
  readonly sent: Sent[]
  readonly closed: Set<PairKey>
  isSigned: boolean
  isOver: boolean
}

/**
 * A payment of the requested amount or of any amount; a change of an earlier transfer, a pair or a payment by
 * signature; or the deadline, after which payments are late.
 */
type Step =
  | { readonly type: 'pays' | 'closesOrOpens'; readonly pair: 0 | 1 }
  | { readonly type: 'sends'; readonly amount: bigint }
  | { readonly type: 'credits' | 'vanishes' | 'returns'; readonly which: number }
  | { readonly type: 'signs' | 'ends' }

const PAIR = fc.constantFrom(0 as const, 1 as const)

const STEP: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant('pays' as const), pair: PAIR }) },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('sends' as const),
      amount: fc.bigInt(1n, AMOUNT + AMOUNT / 2n),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constantFrom('credits', 'vanishes', 'returns'),
      which: fc.nat(9),
    }) as fc.Arbitrary<Step>,
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('closesOrOpens' as const), pair: PAIR }) },
  { weight: 2, arbitrary: fc.constant({ type: 'signs' as const }) },
  { weight: 1, arbitrary: fc.constant({ type: 'ends' as const }) },
)

describe('the amount that a page requests, for any sequence of payments, signatures, closed pairs and late money', () => {
  it('is the charge’s amount minus the received and seen amounts, rounded up to a token unit, and no amount is requested once this difference is zero', () => {
    const property = fc.property(fc.array(STEP, { maxLength: 15 }), (steps) => {
      const life: Life = { sent: [], closed: new Set(), isSigned: false, isOver: false }
      for (const step of steps) {
        apply(step, life)
        expectAsked(life)
      }
    })
    fc.assert(property, { numRuns: ORDERS })
  })
})

/** Returns the page that both a load and an event of its stream show at this time. */
function show({ sent, closed, isSigned, isOver }: Life) {
  const credited = sum(sent, ['credited'])
  const status = credited === 0n ? 'pending' : credited >= AMOUNT ? 'confirmed' : 'partially_paid'
  const columns = { status, receivedAtto: credited === 0n ? null : atto(credited) } as const
  return buildCheckout(columns, {
    seen: atto(sum(sent, ['seen'])),
    isSignatureInFlight: isSigned,
    unavailablePayments: [...closed],
    now: isOver ? EXPIRES_AT : new Date(EXPIRES_AT.getTime() - 60_000),
  })
}

function expectAsked(life: Life): void {
  const due = AMOUNT - sum(life.sent, ['credited', 'seen'])
  const isAsked = due > 0n && !life.isSigned && !life.isOver
  const open = isAsked ? PAIRS.filter(({ key }) => !life.closed.has(key)) : []
  const asked = (show(life).howToPay?.payments ?? []).map(({ amountAtomic, decimals }) => [
    decimals,
    amountAtomic,
  ])
  expect(asked).to.deep.equal(
    open.map(({ decimals }) => [decimals, String(attoToAtomicCeil(atto(due), decimals))]),
  )
}

function apply(step: Step, life: Life): void {
  switch (step.type) {
    case 'pays':
      // The page rounds the amount up to a unit of the token. The model pays the exact amount.
      if (show(life).howToPay?.payments[step.pair])
        life.sent.push({ amount: AMOUNT - sum(life.sent, ['credited', 'seen']), state: 'seen' })
      return
    case 'sends':
      life.sent.push({ amount: step.amount, state: 'seen' })
      return
    case 'closesOrOpens': {
      const { key } = PAIRS[step.pair]
      if (!life.closed.delete(key)) life.closed.add(key)
      return
    }
    case 'signs':
      life.isSigned = !life.isSigned
      return
    case 'ends':
      life.isOver = true
      return
    case 'credits':
    case 'vanishes':
    case 'returns':
      changeTransfer(step.type, life.sent[step.which % Math.max(1, life.sent.length)])
  }
}

/** Applies the change to a transfer. A credited transfer stays credited. */
function changeTransfer(change: 'credits' | 'vanishes' | 'returns', one: Sent | undefined): void {
  if (one === undefined || one.state === 'credited') return
  if (change === 'returns') one.state = 'seen'
  else if (change === 'vanishes') one.state = 'orphaned'
  else if (one.state === 'seen') one.state = 'credited'
}

function sum(sent: readonly Sent[], states: readonly Sent['state'][]): bigint {
  return sent.reduce((all, { amount, state }) => (states.includes(state) ? all + amount : all), 0n)
}
