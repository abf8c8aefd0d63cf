import { expect } from 'chai'
import { decideCharge } from '../../../indexer/charges/decide-charge.ts'
import {
  type EventContext,
  listHeldShareChanges,
  listTurnEvents,
} from '../../../indexer/charges/turn-events.ts'
import { atomic } from '../../../shared/domain/money.ts'
import {
  buildCharge,
  buildCredit,
  buildInbox,
  buildSplitEvent,
  MERCHANT,
  units,
} from '../../support/factories.ts'

const NOW = new Date('2026-11-20T12:30:00.000Z')
const TERMS: EventContext = {
  checkoutBaseUrl: 'https://pay.example/c',
  offering: { networks: new Set(), unavailablePayments: new Set() },
}

describe('the events of a turn', () => {
  it('are the events of the decision, each with the charge’s state after the whole turn', () => {
    const events = tell({ credits: [buildCredit({ valueAtomic: units(15) })] })
    expect(events.map(({ type }) => type)).to.deep.equal(['charge.confirmed', 'charge.overpaid'])
    for (const { data } of events) {
      expect(JSON.parse(data)).to.include({ status: 'confirmed', amountReceived: 15, isOverpaid: true })
      expect(JSON.parse(data))
        .to.have.property('checkoutUrl')
        .that.matches(/^https:\/\/pay\.example\/c/)
    }
  })

  it('are only the internal charge.updated if money arrived without a public event', () => {
    const late = buildCharge({ status: 'expired' })
    const told = tell({ charge: late, credits: [buildCredit({ valueAtomic: units(1) })] })
    expect(told.map(({ type }) => type)).to.deep.equal(['charge.updated'])
  })

  it('have random ids if they are internal, and null ids if they are public, because those are derived later', () => {
    const [confirmed] = tell({ credits: [buildCredit({ valueAtomic: units(15) })] })
    expect(confirmed?.id).to.equal(null)
    const charge = buildCharge({ status: 'expired' })
    const [updated, again] = [1, 1].flatMap((amount) =>
      tell({ charge, credits: [buildCredit({ valueAtomic: units(amount) })] }),
    )
    expect(updated?.id).to.match(/^evt_/)
    expect(updated?.id).not.to.equal(again?.id)
  })

  it('are an empty list if the turn has no input', () => {
    expect(tell({})).to.deep.equal([])
  })

  it('count held shares as positive and released shares as negative, only at confirmation depth', () => {
    const held = buildSplitEvent({ kind: 'held', account: MERCHANT, amountAtomic: units(3) })
    const mail = buildInbox({
      splitEvents: [
        held,
        { ...held, kind: 'released', amountAtomic: units(2) },
        { ...held, isDeep: false },
        buildSplitEvent({ amountAtomic: units(5) }),
      ],
    })
    const changes = listHeldShareChanges(turnOf(mail))
    expect(changes.map(({ recipient, changeAtomic }) => [recipient, changeAtomic])).to.deep.equal([
      [MERCHANT, units(3)],
      [MERCHANT, atomic(-2_000_000n)],
    ])
  })
})

type Mail = ReturnType<typeof buildInbox>

function tell(mail: Partial<Mail>) {
  return listTurnEvents(TERMS, { taken: turnOf(buildInbox(mail)), now: NOW })
}

function turnOf(mail: Mail) {
  return { charge: mail.charge, mail, decision: decideCharge(mail, NOW) }
}
