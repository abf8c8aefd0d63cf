import { expect } from 'chai'
import type { Sql } from '../../../shared/db/connect.ts'
import { appendEvents } from '../../../shared/db/events/daemon/events.ts'
import { listOwedEvents } from '../../soak/owed-events.ts'
import { connectForTest, createTestDatabase, type TestDatabase } from '../../support/postgres.ts'
import { insertOrganizationRow, insertWebhook } from '../../support/rows.ts'

describe('the events that a soak test expects at its endpoint', () => {
  let database: TestDatabase
  let daemon: Sql

  before(async () => {
    database = await createTestDatabase()
    daemon = connectForTest(database.url.daemon)
    await insertOrganizationRow(database.sql, 'org_one')
    await insertWebhook(database.sql, { id: 'wh_one', events: ['*'] })
  })

  after(async () => {
    await daemon?.end()
    await database?.drop()
  })

  it('include an event without a delivery, and no internal event', async () => {
    const common = { organizationId: 'org_one', environment: 'live', chargeId: null, data: '{}' } as const
    const events = [
      { id: 'evt_1', type: 'charge.confirmed', category: 'payments' },
      { id: 'evt_2', type: 'charge.settled', category: 'payments' },
      { id: 'evt_3', type: 'charge.updated', category: 'internal' },
    ] as const
    await appendEvents(
      daemon,
      events.map((event) => ({ ...common, ...event, createdAt: new Date(Date.now() + 1_000) })),
    )
    await database.sql`
      delete from deliveries where event_number = (select number from events where id = 'evt_2')`
    expect([...(await listOwedEvents(database.sql))].map((row) => ({ ...row }))).to.deep.equal([
      { id: 'evt_1', status: 'pending' },
      { id: 'evt_2', status: null },
    ])
  })
})
