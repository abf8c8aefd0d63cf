import { expect } from 'chai'
import { connect, type Sql } from '../../../shared/db/connect.ts'
import { claimHeldShares } from '../../../shared/db/payouts/daemon/held-shares.ts'
import { claimChargeRequests, claimRequestsInShares } from '../../../shared/db/requests/charge-requests.ts'
import { claimWebhookRequests } from '../../../shared/db/webhooks/webhook-requests.ts'
import { atto } from '../../../shared/domain/money.ts'
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts'
import { chargeTerms, insertBase, insertOrganizationRow, insertWebhook } from '../../support/rows.ts'

const LIMIT = 3
const WAITING = 20
const now = new Date()

const CLAIMS: Readonly<Record<string, (sql: Sql) => Promise<readonly unknown[]>>> = {
  claimChargeRequests: (sql) => claimChargeRequests(sql, { kind: 'check', limit: LIMIT, leaseSeconds: 60 }),
  claimRequestsInShares: (sql) =>
    claimRequestsInShares(
      sql,
      { kind: 'check', limit: LIMIT, leaseSeconds: 60 },
      { mostOfOrganization: WAITING, inProgress: new Map([['org_one', 1]]) },
    ),
  claimWebhookRequests: (sql) => claimWebhookRequests(sql, { now, limit: LIMIT }),
  claimHeldShares: (sql) =>
    claimHeldShares(sql, {
      ...{ chainId: 8453, now, limit: LIMIT, minimumAtto: atto(1n) },
      until: new Date(now.getTime() + 60_000),
    }),
}

/** Plan methods to disable, so that PostgreSQL repeats the subquery of claimed rows for each row of the table. */
const NESTED_LOOPS = ['hashjoin', 'mergejoin', 'hashagg', 'sort', 'material', 'indexscan', 'bitmapscan']

describe('a claim of a limited number of rows', () => {
  let database: TestDatabase
  let sql: Sql

  before(async () => {
    database = await createTestDatabase()
    await insertOrganizationRow(database.sql, 'org_one')
    await insertBase(database.sql)
    await insertWaiting(database.sql)
    sql = connect({ url: database.url.daemon, applicationName: 'test', maxConnections: 1 })
    for (const method of NESTED_LOOPS) await sql.unsafe(`set enable_${method} = off`)
  })

  after(async () => {
    await sql.end()
    await database.drop()
  })

  for (const [name, claim] of Object.entries(CLAIMS)) {
    it(`does not claim more than the limit with a nested loop: ${name}`, async () => {
      expect(await claim(sql)).to.have.length(LIMIT)
    })
  }
})

async function insertWaiting(sql: Sql): Promise<void> {
  const terms = Array.from({ length: WAITING }, (_, n) => {
    const address = `0x${String(n).padStart(40, '3')}`
    return chargeTerms({
      ...{ id: `ch_${String(n).padStart(36, '0')}`, address, split_address: address, event_id: `evt_${n}` },
    })
  })
  await sql`select from create_charges(${sql.json(terms as never)})`
  await sql`
    insert into held_shares (charge_id, chain_id, token_address, recipient, held_atomic, next_attempt_at)
    select ${String(terms[0]?.['id'])}, chain_id, token_address, n, 1, now() - interval '1 hour'
    from pairs, generate_series(1, ${WAITING}::int) n`
  await insertWebhook(sql, { id: 'wh_one', events: ['*'] })
  await sql`
    insert into requests (id, kind, organization_id, charge_id, payload)
    select 'check' || id, 'check', 'org_one', id, '{}' from charges`
  await sql`
    insert into requests (id, kind, organization_id, subject_id, payload)
    select 'test' || n, 'webhook_test', 'org_one', 'wh_one', '{"environment": "live"}'
    from generate_series(1, ${WAITING}::int) n`
}
