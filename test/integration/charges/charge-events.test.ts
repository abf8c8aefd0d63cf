import { expect } from 'chai'
import { prepareNewCharge } from '../../../api/charges/present.ts'
import { applyChargeFact } from '../../../indexer/charges/charge-actor.ts'
import { type ChargeRow, toChargeRecord } from '../../../shared/db/charges/charge-row.ts'
import { sequenceEvents } from '../../../shared/db/events/daemon/events.ts'
import { inTransaction } from '../../../shared/db/transaction.ts'
import { waitFor } from '../../devnet/wait-for.ts'
import { MERCHANT } from '../../support/factories.ts'
import { insertWebhook } from '../../support/rows.ts'
import { type ChargeFixture, createChargeFixture } from './charge-fixture.ts'

describe('charge turns that append events', () => {
  let stage: ChargeFixture

  beforeEach(async () => {
    stage = await createChargeFixture()
  })

  afterEach(() => stage.close())

  it('store every event with the charge’s state after the whole turn', async () => {
    const charge = await stage.addCharge()
    const txHash = await stage.pay(charge, { dollars: 12 })
    await stage.takeTurns()
    const data = await dataOf(charge, 'payments')
    expect(data).to.have.length(2)
    for (const shown of data) {
      expect(shown).to.deep.include({
        ...{ id: charge.id, status: 'confirmed', settlementStatus: 'pending', isOverpaid: true },
        ...{ amountReceivedExact: '12', txHash, paidWith: [{ token: 'USDC', network: 'base' }] },
      })
      expect(shown['confirmedAt']).to.be.a('string')
    }
  })

  it('include in every event the same link to the hosted checkout as GET /v1/charges/{id}', async () => {
    const charge = await stage.addCharge()
    await stage.pay(charge, { dollars: 4 })
    await stage.takeTurns()
    await stage.pay(charge, { dollars: 7 })
    await stage.takeTurns()
    const { checkoutUrl } = JSON.parse(
      prepareNewCharge(toChargeRecord(charge), { config: stage.deps, swap: null })(null),
    )
    expect(checkoutUrl).to.equal(`https://pay.example/pay/${charge.id}`)
    const shown = await dataOf(charge, 'payments')
    expect(shown.map((data) => data['checkoutUrl'])).to.deep.equal([checkoutUrl, checkoutUrl, checkoutUrl])
  })

  it('include the swap alternatives, except on networks whose pairs are paused or that the swap provider does not support', async () => {
    const shownAfter = async (change: () => Promise<unknown>) => {
      await change()
      const charge = await stage.addCharge()
      await stage.pay(charge, { dollars: 4 })
      await stage.takeTurns({ swapProvider: '0x' })
      const [data] = await dataOf(charge, 'payments')
      const shown = (data?.['swapAlternatives'] ?? []) as { token: string; network: string }[]
      return shown.filter(({ network }) => network === 'base').map(({ token }) => token)
    }
    const tokens = ['ETH', 'BTC', 'LINK', 'CBETH']
    expect(await shownAfter(async () => undefined)).to.deep.equal(tokens)
    const pause = stage.sql`update pairs set paused_at = now() where network = 'base'`
    expect(await shownAfter(async () => pause)).to.deep.equal([])
    await stage.sql`update pairs set paused_at = null`
    const elsewhere = stage.sql`insert into swap_chains (provider, chain_ids) values ('0x', '{56}')`
    expect(await shownAfter(async () => elsewhere)).to.deep.equal([])
  })

  it('keep an event unchanged if the charge changes later', async () => {
    const charge = await stage.addCharge()
    await stage.pay(charge, { dollars: 4 })
    await stage.takeTurns()
    const [before] = await dataOf(charge, 'payments')
    await stage.pay(charge, { dollars: 6 })
    await stage.takeTurns()
    const [first, second] = await dataOf(charge, 'payments')
    expect(first).to.deep.equal(before)
    expect(second).to.include({ status: 'confirmed', amountReceivedExact: '10' })
  })

  it('append an event for every credit: a public event, or charge.updated, which has no deliveries', async () => {
    await insertWebhook(stage.sql, { id: 'wh_one', events: ['*'] })
    const charge = await stage.addCharge()
    for (const dollars of [1, 2, 3, 4, 5, 6]) {
      await stage.pay(charge, { dollars })
      await stage.takeTurns()
    }
    const types = (await stage.eventsOf(charge)).filter((type) => type.startsWith('charge.'))
    expect(types).to.deep.equal([
      'charge.partially_paid',
      'charge.updated',
      'charge.updated',
      'charge.confirmed',
      'charge.overpaid',
      'charge.updated',
    ])
    expect(await deliveriesOf(charge)).to.deep.equal([
      'charge.partially_paid',
      'charge.confirmed',
      'charge.overpaid',
    ])
  })

  it('append charge.updated for a release on chain', async () => {
    const charge = await stage.addCharge({ escrowReleaser: MERCHANT })
    await inTransaction(stage.daemon, (db) =>
      applyChargeFact(stage.deps, db, {
        chargeId: charge.id,
        fact: { type: 'escrow.released', byEndpoint: false },
      }),
    )
    expect(await stage.eventsOf(charge)).to.deep.equal(['charge.updated'])
  })

  it('create deliveries only for the webhooks that subscribe to the event', async () => {
    await insertWebhook(stage.sql, { id: 'wh_one', event_categories: ['payments'] })
    await insertWebhook(stage.sql, { id: 'wh_two', events: ['charge.expired'] })
    await insertWebhook(stage.sql, { id: 'wh_test', events: ['*'], environment: 'test' })
    const charge = await stage.addCharge()
    await stage.pay(charge)
    await stage.takeTurns()
    const rows = await stage.sql<{ webhookId: string }[]>`select webhook_id from deliveries`
    expect(rows.map(({ webhookId }) => webhookId)).to.deep.equal(['wh_one'])
  })

  it('do not credit a payment or create a delivery if a write of the turn fails', async () => {
    await insertWebhook(stage.sql, { id: 'wh_one', events: ['*'] })
    const charge = await stage.addCharge()
    await stage.pay(charge)
    await stage.sql`alter table payouts add constraint refused check (false)`
    await stage.takeTurns()
    expect(await stage.chargeOf(charge)).to.include({ status: 'pending', receivedAtto: null })
    expect(await stage.creditsOf(charge)).to.deep.equal([])
    expect(await deliveriesOf(charge)).to.deep.equal([])
  })

  async function dataOf({ id }: ChargeRow, category: string) {
    const rows = await stage.sql<{ data: string }[]>`
      select data from events where charge_id = ${id} and category = ${category} order by number`
    return rows.map(({ data }) => JSON.parse(data) as Record<string, unknown>)
  }

  async function deliveriesOf({ id }: ChargeRow): Promise<readonly string[]> {
    const rows = await stage.sql<{ type: string }[]>`
      select e.type from deliveries d join events e on e.number = d.event_number where d.charge_id = ${id}
      order by d.event_number`
    return rows.map(({ type }) => type)
  }
})

describe('sequenceEvents', () => {
  let stage: ChargeFixture

  beforeEach(async () => {
    stage = await createChargeFixture()
  })

  afterEach(() => stage.close())

  it('numbers events from 1, without gaps and without repeated numbers', async () => {
    await appendTo(await stage.addCharge(), 3)
    expect(await sequence()).to.equal(3)
    expect(await sequence()).to.equal(0)
    await appendTo(await stage.addCharge(), 2)
    expect(await sequence()).to.equal(2)
    expect(await numbers()).to.deep.equal([1, 2, 3, 4, 5])
  })

  it('skips uncommitted events, and numbers them later', async () => {
    const [slow, quick] = [await stage.addCharge(), await stage.addCharge()]
    const other = stage.connectDaemon()
    await inTransaction(other, async (db) => {
      await appendTo(slow, 1, db)
      await appendTo(quick, 1)
      expect(await sequence()).to.equal(1)
    })
    await other.end()
    expect(await sequence()).to.equal(1)
    const rows = await stage.sql<{ chargeId: string }[]>`select charge_id from events order by seq`
    expect(rows.map(({ chargeId }) => chargeId)).to.deep.equal([quick.id, slow.id])
  })

  it('leaves no gaps and keeps the order of each charge’s events if two calls run concurrently while events are appended', async () => {
    const charges = await stage.addCharges(20)
    const other = stage.connectDaemon()
    const writing = { isDone: false }
    const write = async () => {
      for (let round = 0; round < 10; round += 1) {
        await Promise.all(charges.map((charge) => appendTo(charge, 2)))
      }
      writing.isDone = true
    }
    const number = async (sql = stage.daemon) => {
      while (!writing.isDone || (await inTransaction(sql, sequenceEvents)) > 0) {
        await inTransaction(sql, sequenceEvents)
      }
    }
    await Promise.all([write(), number(), number(other)])
    await other.end()
    expect(await numbers()).to.deep.equal(Array.from({ length: 400 }, (_, index) => index + 1))
    const [disorder] = await stage.sql<[{ count: number }]>`
      select count(*) from events a join events b on a.charge_id = b.charge_id and a.number < b.number and a.seq > b.seq`
    expect(disorder.count).to.equal(0)
    const [counter] = await stage.sql`select last_seq from event_sequence`
    expect(counter).to.include({ lastSeq: 400 })
  })

  it('sends one notification per batch', async () => {
    const heard: string[] = []
    const listening = await stage.sql.listen('svc_events', (payload) => heard.push(payload))
    await appendTo(await stage.addCharge(), 5)
    await sequence()
    await stage.sql.notify('svc_events', 'end')
    await waitFor(() => heard.includes('end'), { what: 'the last notification', timeoutMs: 60_000 })
    await listening.unlisten()
    expect(heard).to.deep.equal(['5', 'end'])
  })

  function sequence(): Promise<number> {
    return inTransaction(stage.daemon, sequenceEvents)
  }

  async function numbers(): Promise<readonly (number | null)[]> {
    const rows = await stage.sql<{ seq: number | null }[]>`select seq from events order by seq`
    return rows.map(({ seq }) => seq)
  }

  /** Like a charge's turn, appends the events in one transaction that locks the charge. */
  async function appendTo({ id }: ChargeRow, count: number, within?: Parameters<typeof sequenceEvents>[0]) {
    const append = async (db: Parameters<typeof sequenceEvents>[0]) => {
      await db`select from charges where id = ${id} for no key update`
      await db`
        insert into events (id, category, type, organization_id, environment, charge_id, data, created_at)
        select 'evt_' || gen_random_uuid(), 'internal', 'charge.updated', 'org_one', 'live', ${id}, '{}', now()
        from generate_series(1, ${count}::int)`
    }
    await (within ? append(within) : inTransaction(stage.daemon, append))
  }
})
