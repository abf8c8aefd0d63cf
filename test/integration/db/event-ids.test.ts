import { createHmac } from 'node:crypto'
import { expect } from 'chai'
import { errorCode, type Sql } from '../../../shared/db/connect.ts'
import { appendEvents, type NewEvent } from '../../../shared/db/events/daemon/events.ts'
import { migrate } from '../../../shared/db/migrate.ts'
import { inTransaction } from '../../../shared/db/transaction.ts'
import { EVENT_CATEGORY, type EventType } from '../../../shared/domain/event.ts'
import { isId } from '../../../shared/domain/ids.ts'
import { insertChargeRows } from '../../support/charge-rows.ts'
import { buildCharge } from '../../support/factories.ts'
import { connectForTest, createTestDatabase, type TestDatabase } from '../../support/postgres.ts'
import { insertOrganizationRow } from '../../support/rows.ts'

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

describe('the id of a public event of a charge', () => {
  const [charge, other] = [buildCharge(), buildCharge()]
  let database: TestDatabase
  let sql: Sql

  before(async () => {
    database = await createTestDatabase()
    sql = connectForTest(database.url.daemon)
    await insertOrganizationRow(database.sql, 'org_one')
    await insertChargeRows(database.sql, [charge, other])
  })

  beforeEach(() => database.sql`delete from events`)

  after(async () => {
    await sql?.end()
    await database?.drop()
  })

  it('is the same if the event is appended again after a rollback', async () => {
    const lost: string[] = []
    await inTransaction(sql, async (db) => {
      await appendEvents(db, [event('charge.confirmed', new Date(0))])
      const rows = await db<{ id: string }[]>`select id from events`
      lost.push(...rows.map(({ id }) => id))
      throw new Error('lost')
    }).catch(() => undefined)
    expect(lost).to.have.length(1)
    expect(await append('charge.confirmed')).to.equal(lost[0])
  })

  it('differs by charge, by type and by ordinal', async () => {
    const ids = [
      await append('charge.settlement_failed'),
      await append('charge.settlement_failed'),
      await append('charge.confirmed'),
      await append('charge.confirmed', other.id),
    ]
    expect(new Set(ids).size).to.equal(ids.length)
  })

  it('has the format of an id, starts with the time of the charge, and is an HMAC with the secret', async () => {
    await append('charge.settlement_failed')
    const id = await append('charge.settlement_failed')
    expect(isId('evt', id)).to.equal(true)
    const [secret] = await database.sql<[{ innerKey: Buffer }]>`select inner_key from event_secret`
    const key = secret.innerKey.map((byte) => byte ^ 0x36)
    const mac = createHmac('sha256', key).update(`${charge.id}/charge.settlement_failed/1`).digest()
    const characters = [...mac.subarray(0, 26)].map((byte) => ALPHABET.charAt(byte % 32)).join('')
    expect(id).to.equal(`evt_${charge.id.slice(3, 13)}${characters}`)
  })

  it('uses a secret that each database generates itself', async () => {
    const empty = await createTestDatabase({ isMigrated: false })
    const secretOf = async (db: Sql) => (await db`select inner_key, outer_key from event_secret`)[0]
    await migrate(empty.sql)
    const secret = await secretOf(empty.sql)
    await empty.drop()
    expect(secret).not.to.deep.equal(await secretOf(database.sql))
  })

  for (const role of ['api', 'daemon', 'ponder', 'operator'] as const)
    it(`cannot be derived from data that svc_${role} can read${role === 'daemon' ? '' : ' or compute'}`, async () => {
      const session = connectForTest(database.url[role])
      const codes = [
        await codeOf(session`select from event_secret`),
        ...(role === 'daemon'
          ? []
          : [await codeOf(session`select charge_event_id('ch_one', 'charge.confirmed', 0)`)]),
      ]
      await session.end()
      expect(new Set(codes)).to.deep.equal(new Set(['42501']))
    })

  function event(type: EventType, createdAt = new Date(), chargeId = charge.id): NewEvent {
    return {
      ...{ id: null, type, category: EVENT_CATEGORY[type], organizationId: 'org_one' },
      ...{ environment: 'live', chargeId, data: '{}', createdAt },
    }
  }

  async function append(type: EventType, chargeId = charge.id): Promise<string> {
    await appendEvents(sql, [event(type, new Date(), chargeId)])
    const [row] = await sql<[{ id: string }]>`select id from events order by number desc limit 1`
    return row.id
  }
})

async function codeOf(query: PromiseLike<unknown>): Promise<string> {
  try {
    await query
    return 'done'
  } catch (error) {
    return errorCode(error) ?? String(error)
  }
}
