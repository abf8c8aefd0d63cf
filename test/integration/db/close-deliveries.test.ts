import { expect } from 'chai'
import type { Sql } from '../../../shared/db/connect.ts'
import { insertDeliveries } from '../../../shared/db/events/daemon/insert-deliveries.ts'
import { claimDeliveries } from '../../../shared/db/webhooks/daemon/claim-deliveries.ts'
import {
  failDeliveriesOfDeletedWebhook,
  lockLeasedDeliveries,
} from '../../../shared/db/webhooks/daemon/deliveries.ts'
import { deleteWebhook } from '../../../shared/db/webhooks/webhooks.ts'
import { connectForTest, createTestDatabase, type TestDatabase } from '../../support/postgres.ts'
import { insertOrganizationRow, insertWebhook } from '../../support/rows.ts'

/** Number of deliveries that one call ends, and number of deliveries beyond that limit. */
const MOST = 10_000
const MORE = 50

const tenant = { organizationId: 'org_one', environment: 'live' } as const
const leasedUntil = new Date(Date.now() + 60_000)
const slots = [{ webhookId: 'wh_one', slots: 5 }]

describe('the deletion of a webhook with more deliveries than one call can end', () => {
  let database: TestDatabase
  let api: Sql
  let daemon: Sql

  before(async () => {
    database = await createTestDatabase()
    api = connectForTest(database.url.api)
    daemon = connectForTest(database.url.daemon)
    await insertOrganizationRow(database.sql, 'org_one')
    await insertWebhook(database.sql, { id: 'wh_one', events: ['*'] })
    await daemon`
      with inserted as (
        insert into events as e (id, category, type, organization_id, environment, data, created_at)
        select 'evt_' || n, 'payments', 'charge.confirmed', 'org_one', 'live', '{}', now()
        from generate_series(1, ${MOST + MORE}::int) n
        returning e as event)
      ${insertDeliveries(daemon)}`
    // The newer a delivery, the sooner it is due.
    await daemon`update deliveries set next_attempt_at = now() - id * interval '1 second'`
  })

  after(async () => {
    await Promise.all([api, daemon].map((sql) => sql.end()))
    await database.drop()
  })

  it('ends the deliveries that are due first', async () => {
    const leased = await claimDeliveries(daemon, { slots, now: new Date(), leasedUntil })
    expect(leased).to.have.length(5)
    await daemon`update deliveries set next_attempt_at = now() where leased_until is not null`
    expect(await deleteWebhook(api, { tenant, id: 'wh_one', at: new Date() })).to.equal(true)
    expect(await countByStatus()).to.deep.equal({ failed: MOST, pending: MORE })
    expect(await oldestOf('pending')).to.be.below(await oldestOf('failed'))
  })

  it('leaves no delivery that can be claimed, and does not record the result of an attempt in flight', async () => {
    expect(await claimDeliveries(daemon, { slots, now: new Date(), leasedUntil })).to.deep.equal([])
    const leases = await daemon<{ id: number; leasedUntil: Date }[]>`
      select id, leased_until from deliveries where leased_until is not null`
    expect(leases).to.have.length(5)
    expect(await lockLeasedDeliveries(daemon, leases)).to.deep.equal([])
  })

  it('is completed by the daemon', async () => {
    await failDeliveriesOfDeletedWebhook(daemon, { webhookId: 'wh_one', at: new Date() })
    expect(await countByStatus()).to.deep.equal({ failed: MOST + MORE })
  })

  async function countByStatus(): Promise<Readonly<Record<string, number>>> {
    const rows = await daemon<{ status: string; count: number }[]>`
      select status, count(*) from deliveries group by status`
    return Object.fromEntries(rows.map(({ status, count }) => [status, count]))
  }

  async function oldestOf(status: string): Promise<number> {
    const [row] = await daemon<[{ id: number }]>`
      select min(id) as id from deliveries where status = ${status} and leased_until is null`
    return row.id
  }
})
