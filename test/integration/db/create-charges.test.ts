import { expect } from 'chai'
import { connect, type Sql } from '../../../shared/db/connect.ts'
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts'
import { chargeTerms, insertBase, insertOrganizationRow } from '../../support/rows.ts'

describe('the creation of charges', () => {
  let database: TestDatabase
  let sql: Sql

  before(async () => {
    database = await createTestDatabase()
    await insertOrganizationRow(database.sql, 'org_one')
    await insertBase(database.sql)
    sql = connect({ url: database.url.api, applicationName: 'test', maxConnections: 1 })
  })

  after(async () => {
    await sql.end()
    await database.drop()
  })

  it('does not scan the existing charges, even if PostgreSQL planned the statement while the table was empty', async () => {
    await createCharges(sql, ['a', 'b'])
    const before = await countReads(database.sql)
    await createCharges(sql, ['c', 'd'])
    expect(await countReads(database.sql)).to.deep.equal(before)
  })
})

async function createCharges(sql: Sql, digits: readonly string[]): Promise<void> {
  const terms = digits.map((digit) => {
    const address = `0x${digit.repeat(40)}`
    const id = `ch_${digit.repeat(36)}`
    return chargeTerms({ ...{ id, address, split_address: address, event_id: `evt_${digit}` } })
  })
  await sql`select from create_charges(${sql.json(terms as never)})`
  // Makes the session report its reads before the test counts them.
  await sql`select pg_stat_force_next_flush()`
  await sql`select 1`
}

async function countReads(sql: Sql): Promise<object | undefined> {
  const [row] = await sql`
    select seq_scan::int as scans, seq_tup_read::int as rows from pg_stat_user_tables where relname = 'charges'`
  return row
}
