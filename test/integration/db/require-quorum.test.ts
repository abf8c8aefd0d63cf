import { expect } from 'chai'
import {
  endNodeTrusts,
  insertNodeTrust,
  listNodeTrusts,
} from '../../../shared/db/chain-facts/daemon/node-trusts.ts'
import { errorCode, type Sql } from '../../../shared/db/connect.ts'
import { insertFinishedWork } from '../../support/finished-work.ts'
import { connectForTest, createTestDatabase, type TestDatabase } from '../../support/postgres.ts'

const COUNTED = {
  transfers: 'credited_at',
  split_events: 'applied_at',
  escrow_transfers: 'applied_at',
} as const
const BASE = { network: 'base', environment: 'live' } as const
const REFUSED = '23514'

describe('a row of a chain that is made to count', () => {
  let database: TestDatabase
  let daemon: Sql

  before(async () => {
    database = await createTestDatabase()
    daemon = connectForTest(database.url.daemon)
    await insertFinishedWork(database.sql, 400)
    await database.sql`update deployments set quorum = 2`
  })

  after(async () => {
    await daemon.end()
    await database.drop()
  })

  afterEach(() => endNodeTrusts(database.sql, BASE))

  for (const table of Object.keys(COUNTED) as (keyof typeof COUNTED)[]) {
    it(`is rejected in ${table} without a quorum`, async () => {
      expect(await count(table, null)).to.equal(REFUSED)
      expect(await count(table, ['one'])).to.equal(REFUSED)
    })

    it(`is rejected in ${table} with two votes of one operator`, async () => {
      expect(await count(table, ['one', 'one'])).to.equal(REFUSED)
    })

    it(`counts in ${table} with votes of two operators, or with the vote for rows from before quorums existed`, async () => {
      expect(await count(table, ['one', 'two'])).to.equal(null)
      expect(await count(table, ['before-quorum'])).to.equal(null)
    })
  }

  it('counts with a trusted node only while the operator’s order is in force', async () => {
    expect(await count('transfers', ['trusted:one']), 'without an order').to.equal(REFUSED)
    await insertNodeTrust(database.sql, { ...BASE, node: 'one', seconds: 60, reason: 'a test' })
    expect(await listNodeTrusts(daemon)).to.have.length(1)
    expect(await count('transfers', ['trusted:one']), 'in force').to.equal(null)
    expect(await count('transfers', ['trusted:two']), 'of another node').to.equal(REFUSED)
    await endNodeTrusts(database.sql, BASE)
    expect(await listNodeTrusts(daemon)).to.deep.equal([])
    expect(await count('transfers', ['trusted:one']), 'ended').to.equal(REFUSED)
  })

  /**
   * Makes all rows uncounted with these votes, and then lets them count. Returns the SQLSTATE of the rejection, or
   * `null` if the rows count.
   */
  async function count(table: keyof typeof COUNTED, votes: readonly string[] | null): Promise<string | null> {
    const column = daemon(COUNTED[table])
    const agreedAt = votes === null ? null : new Date()
    await daemon`
      update ${daemon(table)} set ${column} = null, agreed_at = ${agreedAt}, agreed_by = ${votes as string[] | null}`
    const counting = daemon`update ${daemon(table)} set ${column} = now()`
    return counting.then(() => null, errorCode)
  }
})
