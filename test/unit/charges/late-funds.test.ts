import { expect } from 'chai'
import { decideCharge } from '../../../indexer/charges/decide-charge.ts'
import { buildCharge, buildCredit, buildInbox, buildSplitEvent, units } from '../../support/factories.ts'

const NOW = new Date('2026-11-20T12:30:00.000Z')

describe('a payment that is mined at the deadline and credited before its charge expires', () => {
  it('completes the settlement as soon as the charge expires, if a keeper has already distributed the payment', () => {
    const charge = buildCharge()
    const blockTimestamp = charge.expiresAt.getTime() / 1000
    const paid = decideCharge(
      buildInbox({
        charge,
        credits: [buildCredit({ valueAtomic: units(10), blockTimestamp })],
        splitEvents: [buildSplitEvent({ amountAtomic: units(10) })],
      }),
      NOW,
    )
    expect(paid.state).to.include({ status: 'pending', settlementStatus: null })
    const { receivedAtto } = paid.state
    const ended = decideCharge(
      buildInbox({ charge: { ...charge, receivedAtto }, ledgers: paid.ledgers, isDeadlinePassed: true }),
      NOW,
    )
    expect(ended.state).to.include({ status: 'expired', settlementStatus: 'completed' })
    expect(ended.events).to.deep.equal(['charge.expired', 'charge.settled'])
  })
})
