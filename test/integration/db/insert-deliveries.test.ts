import { expect } from 'chai'
import type { Sql } from '../../../shared/db/connect.ts'
import { appendEvents, type NewEvent } from '../../../shared/db/events/daemon/events.ts'
import { connectForTest, createTestDatabase, type TestDatabase } from '../../support/postgres.ts'
import { insertOrganizationRow, insertWebhook } from '../../support/rows.ts'

describe('appendEvents, with webhooks', () => {
  let database: TestDatabase
  let daemon: Sql

  beforeEach(async () => {
    database = await createTestDatabase()
    daemon = connectForTest(database.url.daemon)
    await insertOrganizationRow(database.sql, 'org_one')
    await insertOrganizationRow(database.sql, 'org_two')
  })

  afterEach(async () => {
    await daemon.end()
    await database.drop()
  })

  const confirmed = { type: 'charge.confirmed', category: 'payments' } as const

  for (const { reason, webhook } of [
    { reason: 'names the event', webhook: { events: ['charge.confirmed'] } },
    { reason: 'subscribes to all events', webhook: { events: ['*'] } },
    { reason: 'names the category', webhook: { event_categories: ['payments'] } },
    { reason: 'covers both environments', webhook: { events: ['*'], environment: null } },
    { reason: 'excludes another event', webhook: { events: ['*'], exclude_events: ['charge.created'] } },
  ]) {
    it(`inserts a delivery for a webhook that ${reason}`, async () => {
      await insertWebhook(database.sql, { id: 'wh_one', ...webhook })
      await insertEvents([confirmed])
      expect(await deliveries()).to.deep.equal([{ webhookId: 'wh_one', type: 'charge.confirmed' }])
    })
  }

  for (const { reason, webhook } of [
    { reason: 'names another event', webhook: { events: ['charge.created'] } },
    { reason: 'names another category', webhook: { event_categories: ['webhooks'] } },
    { reason: 'excludes the event', webhook: { events: ['*'], exclude_events: ['charge.confirmed'] } },
    { reason: 'belongs to the other environment', webhook: { events: ['*'], environment: 'test' } },
    { reason: 'belongs to another organization', webhook: { events: ['*'], organization_id: 'org_two' } },
    { reason: 'is deleted', webhook: { events: ['*'], deleted_at: new Date() } },
  ]) {
    it(`does not insert a delivery for a webhook that ${reason}`, async () => {
      await insertWebhook(database.sql, { id: 'wh_one', ...webhook })
      await insertEvents([confirmed])
      expect(await deliveries()).to.deep.equal([])
    })
  }

  it('does not insert a delivery for an event of the categories internal and distributions', async () => {
    await insertWebhook(database.sql, { id: 'wh_one', events: ['*'] })
    await insertEvents([
      { type: 'distribution.available', category: 'distributions' },
      { type: 'charge.updated', category: 'internal' },
    ])
    expect(await deliveries()).to.deep.equal([])
  })

  it('inserts the deliveries for all events of one call, in the order of the events', async () => {
    await insertWebhook(database.sql, { id: 'wh_one', events: ['*'] })
    await insertWebhook(database.sql, { id: 'wh_two', event_categories: ['payments'] })
    await insertEvents([confirmed, { type: 'charge.overpaid', category: 'payments' }])
    expect(await deliveries()).to.have.deep.members([
      { webhookId: 'wh_one', type: 'charge.confirmed' },
      { webhookId: 'wh_two', type: 'charge.confirmed' },
      { webhookId: 'wh_one', type: 'charge.overpaid' },
      { webhookId: 'wh_two', type: 'charge.overpaid' },
    ])
    const types = (await deliveries()).map(({ type }) => type)
    expect(types).to.deep.equal(types.toSorted())
  })

  async function insertEvents(events: readonly Pick<NewEvent, 'type' | 'category'>[]): Promise<void> {
    const rows = events.map((event, index) => ({
      id: `evt_${index}`,
      organizationId: 'org_one',
      environment: 'live' as const,
      chargeId: null,
      data: '{}',
      createdAt: new Date(),
      ...event,
    }))
    await appendEvents(daemon, rows)
  }

  async function deliveries(): Promise<readonly { webhookId: string; type: string }[]> {
    return await daemon<{ webhookId: string; type: string }[]>`
      select d.webhook_id, e.type from deliveries d join events e on e.number = d.event_number order by d.id`
  }
})
