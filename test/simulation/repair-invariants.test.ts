import { expect } from 'chai'
import { NO_REPAIRS } from './plan-repairs.ts'
import type { PlannedQuarantine, PlannedRepair } from './planned-repair.ts'
import { TURN_FAULT } from './quarantines.ts'
import { buildExpectedAlerts } from './repair-invariants.ts'

const REPAIR: PlannedRepair = {
  ...{ chainId: 1, fault: 'stops', atMs: 1, orders: [], deathsMs: [], killedAfterMs: [] },
}
const QUARANTINE: PlannedQuarantine = {
  ...{ atMs: 1, forMs: 1, kind: 'turns fail', chargeIndex: 0, isReleasedEarly: false },
}
const AHEAD = 'Feed is ahead of its chain; pairs are disabled until it is repaired'
const QUARANTINED = 'Quarantined a charge: its turn failed: PostgresError'

describe('the errors that a plan causes', () => {
  it('are none in a history without repairs and quarantines', () => {
    const expected = buildExpectedAlerts(NO_REPAIRS)
    for (const alert of ['', AHEAD, `${QUARANTINED} ${TURN_FAULT}`])
      expect(expected.test(alert)).to.equal(false)
  })

  it('are those of a feed that is ahead, in a history with a repair', () => {
    const expected = buildExpectedAlerts({ ...NO_REPAIRS, repairs: [REPAIR] })
    expect(expected.test(AHEAD)).to.equal(true)
    expect(expected.test(`${QUARANTINED} ${TURN_FAULT}`)).to.equal(false)
  })

  it('are the quarantines that the simulated fault causes, and no other quarantine', () => {
    const expected = buildExpectedAlerts({ ...NO_REPAIRS, quarantines: [QUARANTINE] })
    expect(expected.test(`${QUARANTINED} ${TURN_FAULT}`)).to.equal(true)
    expect(expected.test(`${QUARANTINED} value too long`)).to.equal(false)
    expect(expected.test('Quarantined a charge: its terms are not valid')).to.equal(false)
    expect(expected.test(AHEAD)).to.equal(false)
  })
})
