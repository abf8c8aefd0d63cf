import { expect } from 'chai'
import { takeChargeTurn, takeChargeTurns } from '../../../indexer/charges/charge-actor.ts'
import { createTakingUp } from '../../../indexer/charges/take-up-parked.ts'
import type { ChargeRow } from '../../../shared/db/charges/charge-row.ts'
import { countParkedCharges, unparkCharge } from '../../../shared/db/charges/daemon/parked-charges.ts'
import { connect, errorCode } from '../../../shared/db/connect.ts'
import { type Stage, setStage } from './charge-stage.ts'

describe('takeChargeTurns, with a charge whose turn fails', () => {
  let stage: Stage
  let poisoned: ChargeRow

  beforeEach(async () => {
    stage = await setStage()
    poisoned = await stage.addCharge()
    // Said to be told already: the unique index refuses the second time.
    await stage.sql`
      insert into events (id, category, type, organization_id, environment, charge_id, data, created_at)
      values ('evt_earlier', 'payments', 'charge.confirmed', 'org_one', 'live', ${poisoned.id}, '{}', now())`
  })

  afterEach(() => stage.close())

  it('parks that one with an alert, whole, and gives the others their turns', async () => {
    const others = await stage.addCharges(5)
    for (const charge of [poisoned, ...others]) await stage.pay(charge)
    await stage.takeTurns()
    for (const charge of others) expect(await stage.chargeOf(charge)).to.include({ status: 'confirmed' })
    const { status, receivedAtto, parkedAt } = await stage.chargeOf(poisoned)
    expect({ status, receivedAtto }).to.deep.equal({ status: 'pending', receivedAtto: null })
    expect(parkedAt).to.be.instanceOf(Date)
    expect(stage.lines.find(({ msg }) => msg === 'Parked a charge whose turn fails')).to.include({
      level: 'error',
      charge_id: poisoned.id,
    })
  })

  it('gives the batch beside it its turns, too, in the same round', async () => {
    const others = await stage.addCharges(120)
    for (const charge of [poisoned, ...others]) await stage.pay(charge)
    expect(await takeChargeTurns(stage.deps)).to.equal('more')
    const [row] = await stage.sql<{ confirmed: number }[]>`
      select count(*) filter (where status = 'confirmed') as confirmed from charges`
    expect(row?.confirmed).to.equal(120)
    expect((await stage.chargeOf(poisoned)).parkedAt).to.be.instanceOf(Date)
  })

  it('counts it for the gauge, and gives it its turn again once an operator says so', async () => {
    await stage.pay(poisoned)
    await stage.takeTurns()
    expect(await countParkedCharges(stage.daemon)).to.equal(1)
    await stage.sql`delete from events where id = 'evt_earlier'`
    await stage.takeTurns()
    expect(await stage.chargeOf(poisoned), 'still parked').to.include({ status: 'pending' })

    expect(await unparkCharge(stage.sql, poisoned.id)).to.be.instanceOf(Date)
    await stage.takeTurns()
    expect(await stage.chargeOf(poisoned)).to.include({ status: 'confirmed', parkedAt: null })
    expect(await countParkedCharges(stage.daemon)).to.equal(0)
  })

  it('takes up by itself what another build has parked, and not what it has parked itself', async () => {
    const takeUp = createTakingUp({ sql: stage.daemon, log: stage.deps.log, onNews: () => undefined })
    const strange = await stage.addCharge()
    await stage.sql`update charges set parked_at = now() where id = ${strange.id}`
    for (const charge of [poisoned, strange]) await stage.pay(charge)
    await stage.takeTurns()
    expect(await stage.chargeOf(strange), 'while the other build alone runs').to.include({
      status: 'pending',
    })

    expect(await takeUp()).to.equal('idle')
    await stage.takeTurns()
    expect(await stage.chargeOf(strange)).to.include({ status: 'confirmed', parkedAt: null })
    expect((await stage.chargeOf(poisoned)).parkedAt).to.be.instanceOf(Date)
    await stage.sql`update charges set parked_by = 'another' where id = ${poisoned.id}`
    await stage.sql`delete from events where id = 'evt_earlier'`
    await takeUp()
    await stage.takeTurns()
    expect(await stage.chargeOf(poisoned)).to.include({ status: 'confirmed', parkedAt: null })
  })

  it('passes over what waits of it, however much that is', async () => {
    for (let transfer = 0; transfer < 201; transfer += 1) await stage.pay(poisoned, { dollars: 10 })
    for (let event = 0; event < 201; event += 1) await stage.splitEvent(poisoned, {})
    await stage.takeTurns()
    const later = await stage.addCharge()
    await stage.pay(later)
    await stage.takeTurns()
    expect(await stage.chargeOf(later)).to.include({ status: 'confirmed' })
  })
})

describe('takeChargeTurns, with trouble of the database', () => {
  let stage: Stage
  let charge: ChargeRow

  before(async () => {
    stage = await setStage()
    charge = await stage.addCharge()
    await stage.pay(charge)
  })

  after(() => stage.close())

  for (const [code, trouble] of [
    ['57014', 'a statement past its time'],
    ['55P03', 'a lock that is not to be had'],
    ['25P03', 'a transaction that idled'],
    ['53100', 'a full disk'],
    ['42501', 'a missing grant'],
    ['XX000', 'what PostgreSQL itself calls internal'],
  ] as const) {
    it(`parks nothing for ${trouble} (${code}), in a batch or alone`, async () => {
      await failWith(code)
      expect(await codeOf(takeChargeTurns(stage.deps)), 'in a batch').to.equal(code)
      expect(await codeOf(takeChargeTurn(stage.deps, charge.id)), 'alone').to.equal(code)
      expect(await stage.chargeOf(charge)).to.include({ status: 'pending', parkedAt: null })
    })
  }

  for (const [code, refusal] of [
    ['21000', 'two rows where one must be'],
    ['22003', 'a number out of range'],
    ['23514', 'a broken check'],
    ['P0001', 'the word of a function of ours'],
  ] as const) {
    it(`parks the charge for ${refusal} (${code})`, async () => {
      await failWith(code)
      await stage.takeTurns()
      expect((await stage.chargeOf(charge)).parkedAt).to.be.instanceOf(Date)
      await stage.sql`update charges set parked_at = null`
    })
  }

  it('parks the charge for a bug of ours, which has no code at all', async () => {
    await failWith(null)
    const now = () => {
      throw new Error('Broken invariant')
    }
    await takeChargeTurn({ ...stage.deps, now }, charge.id)
    expect((await stage.chargeOf(charge)).parkedAt).to.be.instanceOf(Date)
    await stage.sql`update charges set parked_at = null`
  })

  it('parks nothing while somebody holds a charge for longer than a statement may take, and goes on with others', async () => {
    await failWith(null)
    const added = await stage.addCharges(3)
    for (const one of added) await stage.pay(one)
    const [held = charge, ...others] = [charge, ...added].sort((one, other) => (one.id < other.id ? -1 : 1))
    const impatient = connect({ url: stage.database.url.daemon, applicationName: 'test', maxConnections: 1 })
    await impatient`set statement_timeout = 100`
    await stage.sql.begin(async (db) => {
      await db`select from charges where id = ${held.id} for update`
      expect(await codeOf(takeChargeTurns({ ...stage.deps, sql: impatient }))).to.equal('57014')
      for (const other of others)
        expect(await stage.chargeOf(other), 'another').to.include({ status: 'confirmed' })
    })
    await impatient.end()
    await stage.takeTurns()
    expect(await stage.chargeOf(held)).to.include({ status: 'confirmed', parkedAt: null })
  })

  it('leaves the others for later when a second one fails, so that no turn takes for ever', async () => {
    for (const one of await stage.addCharges(5)) await stage.pay(one)
    await failWith('XX000')
    const before = stage.lines.length
    expect(await codeOf(takeChargeTurns(stage.deps))).to.equal('XX000')
    const tried = stage.lines.slice(before).filter(({ msg }) => msg === 'A charge could not have its turn')
    expect(tried).to.have.length(2)
  })

  /** Makes every event that is appended fail with this SQLSTATE, `null` for none. */
  async function failWith(code: string | null): Promise<void> {
    await stage.sql`drop trigger if exists fail on events`
    if (code === null) return
    await stage.sql.unsafe(`
      create or replace function fail() returns trigger language plpgsql as
        $$ begin raise sqlstate '${code}'; end $$;
      create trigger fail before insert on events for each row execute function fail()`)
  }
})

async function codeOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  return errorCode(error) ?? `no code, but ${String(error)}`
}
