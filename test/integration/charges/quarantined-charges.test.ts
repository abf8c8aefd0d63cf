import { expect } from 'chai'
import { type ChargeActorDeps, runChargeTurn, runChargeTurns } from '../../../indexer/charges/charge-actor.ts'
import { createQuarantineRetry } from '../../../indexer/charges/resume-quarantined.ts'
import { createTurnFailureTracker } from '../../../indexer/charges/turn-failure-tracker.ts'
import type { ChargeRow } from '../../../shared/db/charges/charge-row.ts'
import {
  countQuarantinedCharges,
  releaseQuarantinedCharge,
} from '../../../shared/db/charges/daemon/quarantined-charges.ts'
import { connect, errorCode } from '../../../shared/db/connect.ts'
import { waitFor } from '../../devnet/wait-for.ts'
import { type ChargeFixture, createChargeFixture } from './charge-fixture.ts'

describe('charge turns with a charge whose turn fails', () => {
  let stage: ChargeFixture
  let poisoned: ChargeRow

  beforeEach(async () => {
    stage = await createChargeFixture()
    poisoned = await stage.addCharge()
    // The unique index rejects the turn's event, because an event of the same type already exists.
    await stage.sql`
      insert into events (id, category, type, organization_id, environment, charge_id, data, created_at)
      values ('evt_earlier', 'payments', 'charge.confirmed', 'org_one', 'live', ${poisoned.id}, '{}', now())`
  })

  afterEach(() => stage.close())

  it('quarantine the charge with an alert and without partial changes, and run the turns of the other charges', async () => {
    const others = await stage.addCharges(5)
    for (const charge of [poisoned, ...others]) await stage.pay(charge)
    await stage.takeTurns()
    for (const charge of others) expect(await stage.chargeOf(charge)).to.include({ status: 'confirmed' })
    const { status, receivedAtto, quarantinedAt } = await stage.chargeOf(poisoned)
    expect({ status, receivedAtto }).to.deep.equal({ status: 'pending', receivedAtto: null })
    expect(quarantinedAt).to.be.instanceOf(Date)
    expect(stage.lines.find(({ msg }) => msg === 'Quarantined a charge: its turn failed')).to.include({
      level: 'error',
      charge_id: poisoned.id,
    })
  })

  it('run the turns of all other charges of the batch in the same call', async () => {
    const others = await stage.addCharges(120)
    for (const charge of [poisoned, ...others]) await stage.pay(charge)
    expect(await runChargeTurns(stage.deps)).to.equal('more')
    const [row] = await stage.sql<{ confirmed: number }[]>`
      select count(*) filter (where status = 'confirmed') as confirmed from charges`
    expect(row?.confirmed).to.equal(120)
    expect((await stage.chargeOf(poisoned)).quarantinedAt).to.be.instanceOf(Date)
  })

  it('count the charge in the gauge, and run its turn again after an operator’s release', async () => {
    await stage.pay(poisoned)
    await stage.takeTurns()
    expect(await countQuarantinedCharges(stage.daemon)).to.equal(1)
    await stage.sql`delete from events where id = 'evt_earlier'`
    await stage.takeTurns()
    expect(await stage.chargeOf(poisoned), 'still quarantined').to.include({ status: 'pending' })

    expect(await releaseQuarantinedCharge(stage.sql, poisoned.id)).to.be.instanceOf(Date)
    await stage.takeTurns()
    expect(await stage.chargeOf(poisoned)).to.include({ status: 'confirmed', quarantinedAt: null })
    expect(await countQuarantinedCharges(stage.daemon)).to.equal(0)
  })

  it('retry charges that another build has quarantined, but not charges that the same build has quarantined', async () => {
    const takeUp = createQuarantineRetry({ sql: stage.daemon, log: stage.deps.log, onNews: () => undefined })
    const strange = await stage.addCharge()
    await stage.sql`update charges set quarantined_at = now() where id = ${strange.id}`
    for (const charge of [poisoned, strange]) await stage.pay(charge)
    await stage.takeTurns()
    expect(await stage.chargeOf(strange), 'before the retry').to.include({
      status: 'pending',
    })

    expect(await takeUp()).to.equal('idle')
    await stage.takeTurns()
    expect(await stage.chargeOf(strange)).to.include({ status: 'confirmed', quarantinedAt: null })
    expect((await stage.chargeOf(poisoned)).quarantinedAt).to.be.instanceOf(Date)
    await stage.sql`update charges set quarantined_by_build = 'another' where id = ${poisoned.id}`
    await stage.sql`delete from events where id = 'evt_earlier'`
    await takeUp()
    await stage.takeTurns()
    expect(await stage.chargeOf(poisoned)).to.include({ status: 'confirmed', quarantinedAt: null })
  })

  it('run the turns of other charges, no matter how much input of the quarantined charge waits', async () => {
    for (let transfer = 0; transfer < 201; transfer += 1) await stage.pay(poisoned, { dollars: 10 })
    for (let event = 0; event < 201; event += 1) await stage.splitEvent(poisoned, {})
    await stage.takeTurns()
    const later = await stage.addCharge()
    await stage.pay(later)
    await stage.takeTurns()
    expect(await stage.chargeOf(later)).to.include({ status: 'confirmed' })
  })
})

describe('charge turns with database errors', () => {
  let stage: ChargeFixture
  let charge: ChargeRow
  let deps: ChargeActorDeps
  let clock: Date

  before(async () => {
    stage = await createChargeFixture()
    charge = await stage.addCharge()
    await stage.pay(charge)
  })

  beforeEach(() => {
    clock = new Date()
    deps = { ...stage.deps, now: () => clock, failedTurns: createTurnFailureTracker() }
  })

  after(() => stage.close())

  for (const [code, trouble] of [
    ['57014', 'a statement timeout'],
    ['55P03', 'an unavailable lock'],
    ['25P03', 'an idle transaction timeout'],
    ['53100', 'a full disk'],
    ['42501', 'a missing grant'],
    ['XX000', 'a PostgreSQL internal error'],
  ] as const) {
    it(`do not quarantine a charge for ${trouble} (${code}), in a batch or individually`, async () => {
      await failWith(code)
      expect(await codeOf(runChargeTurns(deps)), 'in a batch').to.equal(code)
      expect(await codeOf(runChargeTurn(deps, charge.id)), 'alone').to.equal(code)
      expect(await stage.chargeOf(charge)).to.include({ status: 'pending', quarantinedAt: null })
    })
  }

  for (const [code, refusal] of [
    ['21000', 'two rows where only one row is allowed'],
    ['22003', 'a number out of range'],
    ['23514', 'a broken check'],
    ['P0001', 'an error of one of our functions'],
  ] as const) {
    it(`quarantine the charge for ${refusal} (${code})`, async () => {
      await failWith(code)
      await stage.takeTurns(deps)
      expect((await stage.chargeOf(charge)).quarantinedAt).to.be.instanceOf(Date)
      await stage.sql`update charges set quarantined_at = null`
    })
  }

  it('quarantine the charge for an error of our own code, which has no SQLSTATE', async () => {
    await failWith(null)
    const now = () => {
      throw new Error('Broken invariant')
    }
    await runChargeTurn({ ...deps, now }, charge.id)
    expect((await stage.chargeOf(charge)).quarantinedAt).to.be.instanceOf(Date)
    await stage.sql`update charges set quarantined_at = null`
  })

  it('do not quarantine a charge whose row is locked beyond the statement timeout, and process the other charges', async () => {
    await failWith(null)
    const added = await stage.addCharges(3)
    for (const one of added) await stage.pay(one)
    const [held = charge, ...others] = [charge, ...added].sort((one, other) => (one.id < other.id ? -1 : 1))
    const impatient = connect({ url: stage.database.url.daemon, applicationName: 'test', maxConnections: 1 })
    await impatient`set statement_timeout = '1s'`
    const turns = () => codeOf(runChargeTurns({ ...deps, sql: impatient }))
    const areConfirmed = async () => {
      const rows = await Promise.all(others.map(stage.chargeOf))
      if (rows.every(({ status }) => status === 'confirmed')) return true
      // On a busy machine, another statement can also reach the timeout. Its charge rests.
      clock = later(600)
      await turns()
      return false
    }
    await stage.sql.begin(async (db) => {
      await db`select from charges where id = ${held.id} for update`
      expect(await turns()).to.equal('57014')
      await waitFor(areConfirmed, { what: 'the turns of the other charges', timeoutMs: 14_000 })
    })
    await impatient.end()
    await stage.takeTurns()
    expect(await stage.chargeOf(held)).to.include({ status: 'confirmed', quarantinedAt: null })
  })

  it('stop after two failing charges, and leave the other charges for later turns', async () => {
    for (const one of await stage.addCharges(5)) await stage.pay(one)
    await failWith('XX000')
    const before = stage.lines.length
    expect(await codeOf(runChargeTurns(deps))).to.equal('XX000')
    const tried = stage.lines.slice(before).filter(({ msg }) => msg === 'Charge turn failed')
    expect(tried).to.have.length(2)
  })

  it('run the other charges in the next turn after two charges fail, and the failing charges after a pause', async () => {
    await failWith(null)
    await stage.takeTurns()
    const [one, two, ...others] = await addPaid(5)
    await failWith('XX001', [one, two])
    expect(await codeOf(runChargeTurns(deps))).to.equal('XX001')
    expect(await runChargeTurns(deps)).to.equal('more')
    for (const other of others) expect(await stage.chargeOf(other)).to.include({ status: 'confirmed' })
    expect(await runChargeTurns(deps), 'during the pause').to.equal('idle')

    clock = later(1)
    expect(await codeOf(runChargeTurns(deps)), 'after the pause').to.equal('XX001')
    await failWith(null)
    clock = later(1)
    expect(await runChargeTurns(deps), 'during the longer second pause').to.equal('idle')
    clock = later(1)
    expect(await runChargeTurns(deps)).to.equal('more')
    for (const sick of [one, two]) expect(await stage.chargeOf(sick)).to.include({ status: 'confirmed' })
  })

  it('run the turns of other charges, no matter how much input of a paused charge waits', async () => {
    await failWith(null)
    await stage.takeTurns()
    const sick = await stage.addCharge()
    for (let transfer = 0; transfer < 201; transfer += 1) await stage.pay(sick)
    for (let event = 0; event < 201; event += 1) await stage.splitEvent(sick, {})
    await failWith('XX001', [sick])
    expect(await codeOf(runChargeTurns(deps))).to.equal('XX001')
    const other = await stage.addCharge()
    await stage.pay(other)
    expect(await runChargeTurns(deps)).to.equal('more')
    expect(await stage.chargeOf(other)).to.include({ status: 'confirmed' })
  })

  it('retry a batch with a transient failure one charge at a time, so that no charge blocks another charge', async () => {
    await failWith(null)
    await stage.takeTurns()
    const [sick, ...others] = await addPaid(4)
    await failWith('25P03', [sick])
    expect(await codeOf(runChargeTurns(deps))).to.equal('25P03')
    for (const other of others) expect(await stage.chargeOf(other)).to.include({ status: 'pending' })
    clock = later(1)
    expect(await codeOf(runChargeTurns(deps))).to.equal('25P03')
    for (const other of others) expect(await stage.chargeOf(other)).to.include({ status: 'confirmed' })
  })

  it('do not pause a charge while the database is unavailable', async () => {
    await failWith(null)
    await stage.takeTurns()
    const paid = await addPaid(3)
    await failWith('57P01')
    expect(await codeOf(runChargeTurns(deps))).to.equal('57P01')
    await failWith(null)
    expect(await runChargeTurns(deps)).to.equal('more')
    for (const one of paid) expect(await stage.chargeOf(one)).to.include({ status: 'confirmed' })
  })

  it('quarantine at most three charges for an error that affects all of them', async () => {
    await failWith(null)
    await stage.takeTurns()
    const paid = await addPaid(5)
    await failWith('23514')
    expect(await codeOf(runChargeTurns(deps))).to.equal('23514')
    const [one] = await addPaid(1)
    expect(await codeOf(runChargeTurns(deps)), 'in the next turn').to.equal('23514')
    expect(await parkedOf([...paid, one])).to.have.length(3)

    await failWith(null)
    clock = later(1)
    await runChargeTurns(deps)
    expect(await stage.chargeOf(one)).to.include({ status: 'confirmed' })
    expect(await parkedOf([...paid, one])).to.have.length(3)
    for (const { id } of paid) await releaseQuarantinedCharge(stage.sql, id)
  })

  it('quarantine every charge that fails individually if other charges succeed', async () => {
    await failWith(null)
    await stage.takeTurns()
    const paid = await addPaid(6)
    const sick = paid.slice(0, -1)
    await failWith('23514', sick)
    expect(await codeOf(runChargeTurns(deps))).to.equal('23514')
    clock = later(1)
    expect(await runChargeTurns(deps)).to.equal('more')
    expect(await parkedOf(paid)).to.have.members(sick.map(({ id }) => id))
  })

  it('give up waiting for a locked charge with the error 55P03', async () => {
    await failWith(null)
    const held = await stage.addCharge()
    await stage.sql.begin(async (db) => {
      await db`select from charges where id = ${held.id} for update`
      expect(await codeOf(runChargeTurn(deps, held.id))).to.equal('55P03')
    })
  })

  /** Adds paid charges, and returns them in the order of their ids. */
  async function addPaid(count: number): Promise<readonly [ChargeRow, ChargeRow, ...ChargeRow[]]> {
    const added = (await stage.addCharges(count)).sort((one, other) => (one.id < other.id ? -1 : 1))
    for (const one of added) await stage.pay(one)
    return added as [ChargeRow, ChargeRow, ...ChargeRow[]]
  }

  async function parkedOf(charges: readonly ChargeRow[]): Promise<readonly string[]> {
    const ids = charges.map(({ id }) => id)
    const rows = await stage.sql<{ id: string }[]>`
      select id from charges where id = any (${ids}) and quarantined_at is not null`
    return rows.map(({ id }) => id)
  }

  function later(seconds: number): Date {
    return new Date(clock.getTime() + seconds * 1_000)
  }

  /**
   * Makes every insert of an event, or of an event of these charges, fail with this SQLSTATE. `null` removes the
   * failure.
   */
  async function failWith(code: string | null, charges?: readonly ChargeRow[]): Promise<void> {
    await stage.sql`drop trigger if exists fail on events`
    if (code === null) return
    const ids = charges?.map(({ id }) => `'${id}'`).join()
    await stage.sql.unsafe(`
      create or replace function fail() returns trigger language plpgsql as
        $$ begin raise sqlstate '${code}'; end $$;
      create trigger fail before insert on events for each row
        ${ids === undefined ? '' : `when (new.charge_id in (${ids}))`} execute function fail()`)
  }
})

async function codeOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  return errorCode(error) ?? `no code, but ${String(error)}`
}
