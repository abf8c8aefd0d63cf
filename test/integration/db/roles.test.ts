import { expect } from 'chai'
import { errorCode, type Sql } from '../../../shared/db/connect.ts'
import { connectForTest, createTestDatabase, type TestDatabase } from '../../support/postgres.ts'
import {
  chargeTerms,
  insertBase,
  insertOrganizationRow,
  insertWebhook,
  SOME_ADDRESS,
} from '../../support/rows.ts'

const INSUFFICIENT_PRIVILEGE = '42501'

describe('the database roles', () => {
  let database: TestDatabase
  let api: Sql
  let daemon: Sql
  let operator: Sql

  before(async () => {
    database = await createTestDatabase()
    api = connectForTest(database.url.api)
    daemon = connectForTest(database.url.daemon)
    operator = connectForTest(database.url.operator)
    await insertOrganizationRow(database.sql, 'org_one')
    await insertBase(database.sql)
    await insertWebhook(database.sql, { id: 'wh_one', events: ['charge.created'] })
    await createCharge(api)
  })

  after(async () => {
    await Promise.all([api, daemon, operator].map((sql) => sql.end()))
    await database.drop()
  })

  describe('svc_api', () => {
    for (const [table, column] of [
      ['charges', 'status'],
      ['transfers', 'credited_at'],
      ['events', 'data'],
      ['payouts', 'status'],
      ['deliveries', 'status'],
      ['api_keys', 'revoked_at'],
      ['pairs', 'paused_at'],
      ['organizations', 'fee_percent'],
      ['deployments', 'contracts_match'],
      ['requests', 'response'],
    ] as const) {
      it(`cannot update, delete or truncate ${table}`, async () => {
        const codes = await Promise.all([
          codeOf(api.unsafe(`update ${table} set ${column} = null`)),
          codeOf(api.unsafe(`delete from ${table}`)),
          codeOf(api.unsafe(`truncate ${table} cascade`)),
        ])
        expect(codes).to.deep.equal([INSUFFICIENT_PRIVILEGE, INSUFFICIENT_PRIVILEGE, INSUFFICIENT_PRIVILEGE])
      })
    }

    for (const table of [
      'charges',
      'charges_by_paid_with',
      'transfers',
      'events',
      'payouts',
      'deliveries',
      'api_keys',
      'pairs',
    ]) {
      it(`cannot insert into ${table}`, async () => {
        // PostgreSQL checks privileges before the values of the row.
        expect(await codeOf(api.unsafe(`insert into ${table} default values`))).to.equal(
          INSUFFICIENT_PRIVILEGE,
        )
      })
    }

    it('cannot read the relayer transactions, or create tables', async () => {
      expect(await codeOf(api`select from relayer_transactions`)).to.equal(INSUFFICIENT_PRIVILEGE)
      expect(await codeOf(api`create table mine (id int)`)).to.equal(INSUFFICIENT_PRIVILEGE)
    })

    it('creates a charge through create_charges, with its event', async () => {
      const events = await api`select type, category, organization_id, charge_id, data from events`
      expect(events).to.deep.equal([
        {
          type: 'charge.created',
          category: 'payments',
          organizationId: 'org_one',
          chargeId: chargeTerms()['id'],
          data: chargeTerms()['event_data'],
        },
      ])
      const charges = await api`select status, amount_micro, accepted_chains, is_overpaid from charges`
      expect(charges).to.deep.equal([
        { status: 'pending', amountMicro: 10_000_000n, acceptedChains: [8453], isOverpaid: false },
      ])
    })

    it('creates the delivery of a charge’s event through create_charges', async () => {
      const deliveries = await api`
        select d.webhook_id, e.type, d.charge_id from deliveries d join events e on e.number = d.event_number`
      expect(deliveries).to.deep.equal([
        { webhookId: 'wh_one', type: 'charge.created', chargeId: chargeTerms()['id'] },
      ])
    })

    it('cancels a request only before the daemon has started it', async () => {
      for (const [id, kind] of [
        ['req_open', 'check'],
        ['req_begun', 'escrow_order'],
      ] as const) {
        await database.sql`update charges set escrow_releaser = ${SOME_ADDRESS}`
        await api`
          insert into requests (id, kind, organization_id, charge_id, payload)
          values (${id}, ${kind}, 'org_one', ${String(chargeTerms()['id'])}, '{}')`
      }
      await daemon`update requests set consumed_at = now() where id = 'req_begun'`
      const rows = await api`
        select cancel_request('req_open') as open, cancel_request('req_begun') as begun,
          cancel_request('req_none') as none`
      expect(rows).to.deep.equal([{ open: true, begun: false, none: false }])
      expect(await api`select id from requests`).to.deep.equal([{ id: 'req_begun' }])
    })

    it('cannot use our trigger functions, even in triggers on a table where it may create triggers', async () => {
      await database.sql`create table theirs (like webhooks)`
      await database.sql`grant trigger on theirs to svc_api`
      const trick = api`create trigger mine after insert on theirs
        for each row execute function fail_deliveries_of_deleted_webhook()`
      expect(await codeOf(trick)).to.equal(INSUFFICIENT_PRIVILEGE)
    })

    it('counts requests in a rate limit window', async () => {
      const take = () => api`select used from consume_rate_limit('key:one', 60)`
      expect([await take(), await take()]).to.deep.equal([[{ used: 1 }], [{ used: 2 }]])
    })
  })

  describe('svc_daemon', () => {
    it('can update charges, but cannot issue keys, delete charges or update events', async () => {
      expect(await daemon`update charges set last_activity_at = now() returning status`).to.have.length(1)
      expect(await codeOf(daemon`insert into api_keys default values`)).to.equal(INSUFFICIENT_PRIVILEGE)
      expect(await codeOf(daemon`delete from charges`)).to.equal(INSUFFICIENT_PRIVILEGE)
      expect(await codeOf(daemon`update events set data = ''`)).to.equal(INSUFFICIENT_PRIVILEGE)
    })
  })

  describe('any other database role', () => {
    it('cannot execute any of our functions, including functions created later', async () => {
      await database.sql`create function made_later() returns int language sql as 'select 1'`
      const rows = await database.sql<{ name: string; isPublic: boolean }[]>`
        select proname as name, has_function_privilege('public', oid, 'execute') as is_public from pg_proc
        where pronamespace = 'public'::regnamespace`
      const names = rows.map(({ name }) => name)
      expect(names).to.include.members(['create_charges', 'fail_deliveries', 'made_later'])
      expect(rows.filter(({ isPublic }) => isPublic)).to.deep.equal([])
    })
  })

  describe('svc_operator', () => {
    it('can pause a pair, but cannot change the pair’s token address', async () => {
      expect(await operator`update pairs set paused_at = now() returning token`).to.have.length(1)
      expect(await codeOf(operator`update pairs set token_address = ${SOME_ADDRESS}`)).to.equal(
        INSUFFICIENT_PRIVILEGE,
      )
    })

    it('cannot update a charge or append an event', async () => {
      expect(await codeOf(operator`update charges set status = 'confirmed'`)).to.equal(INSUFFICIENT_PRIVILEGE)
      expect(await codeOf(operator`insert into events default values`)).to.equal(INSUFFICIENT_PRIVILEGE)
    })

    it('cannot create a charge', async () => {
      expect(await codeOf(createCharge(operator))).to.equal(INSUFFICIENT_PRIVILEGE)
    })
  })
})

async function createCharge(sql: Sql): Promise<void> {
  const terms = sql.json([chargeTerms()] as Parameters<Sql['json']>[0])
  await sql`select * from create_charges(${terms})`
}

async function codeOf(work: PromiseLike<unknown>): Promise<string> {
  try {
    await work
    return 'done'
  } catch (error) {
    return errorCode(error) ?? String(error)
  }
}
