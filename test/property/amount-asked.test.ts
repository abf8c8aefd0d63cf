import { expect } from 'chai'
import * as fc from 'fast-check'
import { atto, attoToAtomicCeil, microToAtto } from '../../shared/domain/money.ts'
import { buildCheckout } from '../support/checkout.ts'
import { buildCharge, EXPIRES_AT } from '../support/factories.ts'

const AMOUNT = microToAtto(buildCharge().amountMicro)
const ORDERS = 1000

/** A transfer in the model, on an accepted pair. */
type Sent = { readonly amount: bigint; state: 'seen' | 'credited' | 'orphaned' }

/** A payment of the requested amount, a payment of any amount, or a change of an earlier transfer. */
type Step =
  | { readonly type: 'pays'; readonly pair: 0 | 1 }
  | { readonly type: 'sends'; readonly amount: bigint }
  | { readonly type: 'credits' | 'vanishes' | 'returns'; readonly which: number }

const STEP: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ type: fc.constant('pays' as const), pair: fc.constantFrom(0 as const, 1 as const) }),
  fc.record({ type: fc.constant('sends' as const), amount: fc.bigInt(1n, AMOUNT + AMOUNT / 2n) }),
  fc.record({
    type: fc.constantFrom('credits', 'vanishes', 'returns'),
    which: fc.nat(9),
  }) as fc.Arbitrary<Step>,
)

describe('the amount that a page requests, for any sequence of payments, page loads and removed transfers', () => {
  it('is exactly the charge’s amount minus the received and seen amounts, and nothing is requested once that is zero', () => {
    const property = fc.property(fc.array(STEP, { maxLength: 25 }), (steps) => {
      const sent: Sent[] = []
      for (const step of steps) {
        apply(step, sent)
        expectAsked(sent)
      }
    })
    fc.assert(property, { numRuns: ORDERS })
  })
})

/** Returns the page as every load and every event of its stream shows it after these transfers. */
function show(sent: readonly Sent[]) {
  const credited = sum(sent, ['credited'])
  const status = credited === 0n ? 'pending' : credited >= AMOUNT ? 'confirmed' : 'partially_paid'
  const columns = { status, receivedAtto: credited === 0n ? null : atto(credited) } as const
  return buildCheckout(columns, {
    seen: atto(sum(sent, ['seen'])),
    now: new Date(EXPIRES_AT.getTime() - 60_000),
  })
}

function expectAsked(sent: readonly Sent[]): void {
  const due = AMOUNT - sum(sent, ['credited', 'seen'])
  const asked = (show(sent).howToPay?.payments ?? []).map(({ amountAtomic, decimals }) => [
    decimals,
    amountAtomic,
  ])
  const decimals = due > 0n ? [6, 18] : []
  expect(asked).to.deep.equal(decimals.map((count) => [count, String(attoToAtomicCeil(atto(due), count))]))
}

function apply(step: Step, sent: Sent[]): void {
  if (step.type === 'pays') {
    const payment = show(sent).howToPay?.payments[step.pair]
    // The pair with 6 decimals rounds the amount up by less than a unit. The model pays the exact amount.
    if (payment) sent.push({ amount: AMOUNT - sum(sent, ['credited', 'seen']), state: 'seen' })
    return
  }
  if (step.type === 'sends') {
    sent.push({ amount: step.amount, state: 'seen' })
    return
  }
  const one = sent[step.which % Math.max(1, sent.length)]
  // A credited transfer stays credited.
  if (one === undefined || one.state === 'credited') return
  if (step.type === 'returns') one.state = 'seen'
  else if (step.type === 'vanishes') one.state = 'orphaned'
  else if (one.state === 'seen') one.state = 'credited'
}

function sum(sent: readonly Sent[], states: readonly Sent['state'][]): bigint {
  return sent.reduce((all, { amount, state }) => (states.includes(state) ? all + amount : all), 0n)
}
