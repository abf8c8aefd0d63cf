import { expect } from 'chai'
import { createStreamIds } from '../../../api/streams/stream-ids.ts'
import { createWebhookFeed } from '../../../api/streams/webhook-feed.ts'
import type { Sql } from '../../../shared/db/connect.ts'
import { appendManyEvents } from '../../support/daemon-rows.ts'
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts'
import { recordStream } from '../../support/record-stream.ts'

const TENANT = { organizationId: 'org_one', environment: 'live' } as const
const EVENT = { type: 'charge.confirmed', category: 'payments', bytes: 10 }

describe('the streams of webhook events', () => {
  let database: TestDatabase
  before(async () => {
    database = await createTestDatabase()
    await database.sql`insert into organizations (id, name) values ('org_one', 'One'), ('org_two', 'Two')`
  })
  after(() => database.drop())

  it('read at most 1000 event numbers per statement, even after a failed turn, and send each event once', async () => {
    const foreign = await appendManyEvents(database.sql, { ...EVENT, organizationId: 'org_two', count: 3400 })
    const own = await appendManyEvents(database.sql, { ...EVENT, organizationId: 'org_one', count: 100 })
    let statements = 0
    let isDown = true
    const sql = new Proxy(database.sql, {
      apply: (target, self, args) => {
        statements += 1
        if (isDown) throw new Error('the database is down')
        return Reflect.apply(target, self, args)
      },
    }) as Sql
    const ids = createStreamIds(['secret'])
    const feed = createWebhookFeed({ sql, ids, maxUnreadBytes: 1_000_000 })
    const frames: string[] = []
    await feed.follow({ stream: recordStream((frame) => frames.push(frame)), tenant: TENANT, after: 0 })
    const first = await feed.publish(foreign.length).catch(String)
    expect(first).to.equal('Error: the database is down')
    isDown = false
    statements = 0
    await feed.publish(foreign.length + own.length)
    expect(statements).to.equal(4)
    const sent = frames.map((frame) => ids.findEvent(/^id: (.+)$/m.exec(frame)?.[1] ?? ''))
    expect(sent).to.deep.equal(own)
  })
  it('include a stream that another tenant opens while the events are read', async () => {
    const [first] = await appendManyEvents(database.sql, { ...EVENT, organizationId: 'org_one', count: 1 })
    const [last] = await appendManyEvents(database.sql, { ...EVENT, organizationId: 'org_two', count: 1 })
    const after = (first ?? 0) - 1
    let open = async () => {}
    const sql = new Proxy(database.sql, {
      apply: (target, self, args) => {
        void open()
        return Reflect.apply(target, self, args)
      },
    }) as Sql
    const ids = createStreamIds(['secret'])
    const feed = createWebhookFeed({ sql, ids, maxUnreadBytes: 1_000_000 })
    feed.start(after)
    await feed.follow({ stream: recordStream(() => undefined), tenant: TENANT, after })
    const frames: string[] = []
    open = async () => {
      open = async () => {}
      const tenant = { ...TENANT, organizationId: 'org_two' }
      await feed.follow({ stream: recordStream((frame) => frames.push(frame)), tenant, after })
    }
    await feed.publish(last ?? 0)
    expect(frames.map((frame) => ids.findEvent(/^id: (.+)$/m.exec(frame)?.[1] ?? ''))).to.deep.equal([last])
  })
})
