import { expect } from 'chai'
import { lockCharges } from '../../../shared/db/charges/daemon/charge-inbox.ts'
import { waitFor } from '../../devnet/wait-for.ts'
import { insertChargeRows } from '../../support/charge-rows.ts'
import { buildCharge } from '../../support/factories.ts'
import { connectForTest, createTestDatabase, type TestDatabase } from '../../support/postgres.ts'
import { insertOrganizationRow } from '../../support/rows.ts'

const [FIRST, SECOND] = [`ch_${'a'.repeat(36)}`, `ch_${'b'.repeat(36)}`]

describe('lockCharges', () => {
  let database: TestDatabase

  before(async () => {
    database = await createTestDatabase()
    await insertOrganizationRow(database.sql, 'org_one')
    // A scan of the table finds the charges in reverse order.
    for (const id of [SECOND, FIRST]) await insertChargeRows(database.sql, [buildCharge({ id })])
  })
  after(() => database.drop())

  it('locks in the order of the ids even if PostgreSQL scans the table, so that two daemons never deadlock', async () => {
    const [one, other] = [connectForTest(database.url.daemon), connectForTest(database.url.daemon)]
    let waiting: Promise<readonly string[]> | undefined
    await one.begin(async (db) => {
      await lockCharges(db, [FIRST])
      waiting = other.begin(async (locking) => {
        // PostgreSQL chooses this plan while the table is small, or when the list is long.
        await locking`set local enable_indexscan = off`
        await locking`set local enable_bitmapscan = off`
        return lockCharges(locking, [SECOND, FIRST])
      })
      await waitFor(() => isAnyoneWaiting(database), {
        what: 'the second session to wait',
        timeoutMs: 60_000,
        intervalMs: 5,
      })
      const free = await db`select id from charges where id = ${SECOND} for no key update skip locked`
      expect(free, 'the second charge is not locked').to.have.length(1)
    })
    expect(await waiting).to.deep.equal([FIRST, SECOND])
    await Promise.all([one.end(), other.end()])
  })
})

/**
 * Checks whether any session of the server waits for a lock. pg_locks shows a wait for a row lock as a wait for the
 * holder's transaction, without a database. Only this test run uses the server.
 */
async function isAnyoneWaiting({ sql }: TestDatabase): Promise<boolean> {
  const rows = await sql`select from pg_locks where not granted`
  return rows.length > 0
}
