import { expect } from 'chai'
import { measureConfirmationLag } from '../../../indexer/charges/confirmation-lag.ts'
import { decideCharge } from '../../../indexer/charges/decide-charge.ts'
import { buildCharge, buildCredit, buildInbox, units } from '../../support/factories.ts'

const NOW = new Date('2026-11-20T12:30:00.000Z')
const secondsBefore = (seconds: number) => NOW.getTime() / 1000 - seconds

describe('the duration of a confirmation', () => {
  it('starts at the block of the payment that confirmed the charge, not at an earlier or later payment', () => {
    const credits = [
      buildCredit({ id: 1, valueAtomic: units(4), blockTimestamp: secondsBefore(90) }),
      buildCredit({ id: 2, valueAtomic: units(6), blockTimestamp: secondsBefore(30) }),
      buildCredit({ id: 3, valueAtomic: units(1), blockTimestamp: secondsBefore(28) }),
    ]
    expect(delayOf({ credits })).to.deep.equal({ chainId: credits[1]?.chainId, seconds: 30 })
  })

  it('is never negative, even if the chain’s clock is ahead of our clock', () => {
    const credits = [buildCredit({ valueAtomic: units(10), blockTimestamp: secondsBefore(-3) })]
    expect(delayOf({ credits })?.seconds).to.equal(0)
  })

  it('is null if the turn does not confirm the charge', () => {
    expect(delayOf({ credits: [buildCredit({ valueAtomic: units(1) })] })).to.equal(null)
    const charge = buildCharge({ status: 'confirmed', confirmedAt: NOW })
    expect(delayOf({ charge, credits: [buildCredit({ valueAtomic: units(10) })] })).to.equal(null)
  })
})

function delayOf(changes: Parameters<typeof buildInbox>[0]) {
  const mail = buildInbox(changes)
  return measureConfirmationLag({ charge: mail.charge, mail, decision: decideCharge(mail, NOW) })
}
