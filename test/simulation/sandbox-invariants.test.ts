import { expect } from 'chai'
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts'
import type { InvariantContext } from './invariant-context.ts'
import { findFalseSimulations } from './sandbox-invariants.ts'

describe('the invariant of simulated payments', () => {
  let database: TestDatabase

  before(async () => {
    database = await createTestDatabase({ isMigrated: false })
    await database.sql`create table charges (id text, is_simulated boolean, environment text)`
    await database.sql`create table transfers (charge_id text, chain_id int8)`
  })

  beforeEach(async () => {
    await database.sql`truncate charges, transfers`
    await database.sql`insert into charges values ('ch_1', true, 'test'), ('ch_2', false, 'live')`
    await database.sql`insert into transfers values ('ch_1', null), ('ch_2', 8453)`
  })

  after(() => database.drop())

  it('holds if each simulated payment was triggered, and ignores on-chain payments', async () => {
    expect(await problems(['charge.confirmed'])).to.deep.equal([])
  })

  it('fails if a payment is credited although only an event without a payment was triggered', async () => {
    const twice = 'ch_1 has 1 simulated payments, but 0 were triggered'
    expect(await problems(['charge.settled'])).to.deep.equal([twice])
  })

  it('fails if a simulated payment is credited to a live charge', async () => {
    await database.sql`update charges set is_simulated = false, environment = 'live'`
    const credited = 'ch_1 is not a simulated charge, but is credited with simulated payments'
    expect(await problems(['charge.confirmed'])).to.deep.equal([credited])
  })

  function problems(events: readonly string[]): Promise<readonly string[]> {
    const path = '/v1/sandbox/charges/ch_1/trigger'
    const sent = events.map((event) => ({ path, body: JSON.stringify({ event }) }))
    return findFalseSimulations({ database, api: { sent } } as unknown as InvariantContext)
  }
})
