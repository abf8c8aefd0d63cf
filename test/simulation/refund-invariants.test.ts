import { expect } from 'chai'
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts'
import type { InvariantContext } from './invariant-context.ts'
import { findWrongRefundSums } from './refund-invariants.ts'

describe('the invariant that the confirmed and open refunds of a charge never exceed its credits', () => {
  let database: TestDatabase

  before(async () => {
    database = await createTestDatabase({ isMigrated: false })
    // These tables lack the triggers of the service, so that the tests can insert what violates the invariant.
    await database.sql`
      create table refunds (charge_id text, chain_id int8, token_address text, status text, amount_atomic int8,
        counted_atomic int8, canceled_at timestamptz, expired_at timestamptz)`
    await database.sql`
      create table transfers (charge_id text, chain_id int8, token_address text, amount_atto numeric,
        credited_at timestamptz)`
    await database.sql`
      create table struck_rows (charge_id text, chain_id int8, token_address text, amount_atto numeric, event text)`
    await database.sql`create table pairs (chain_id int8, token_address text, decimals int4)`
    await database.sql`insert into pairs values (1, '0xa', 6), (2, '0xa', 18)`
  })

  beforeEach(async () => {
    await database.sql`truncate refunds, transfers, struck_rows`
    await database.sql`
      insert into transfers values ('ch_1', 1, '0xa', 9.4e12, now()), ('ch_1', 1, '0xa', 1.4e12, now()),
        ('ch_1', 1, '0xa', 5e12, null), ('ch_1', 2, '0xa', 9, now()), ('ch_2', 1, '0xa', 9e12, now())`
    // Paid after its end, so only the 4 that were left of the credits count.
    await refund('confirmed', { amount: 6, counted: 4 })
  })

  after(() => database.drop())

  it('holds if a confirmed and an open refund together equal the credits on their pair', async () => {
    await refund('awaiting_payment', { amount: 6 })
    await refund('canceled', { amount: 6 })
    expect(await problems()).to.deep.equal([])
  })

  it('holds for refunds of a credit even after the credit was struck', async () => {
    await database.sql`
      insert into struck_rows values ('ch_1', 1, '0xa', 1e12, 'credited'), ('ch_1', 1, '0xa', 1e12, 'struck')`
    await refund('confirmed', { amount: 7, counted: 7 })
    expect(await problems()).to.deep.equal([])
    await refund('seen', { amount: 1 })
    expect(await problems()).to.deep.equal(['ch_1 has refunds of 12, but credits of 11'])
  })

  it('fails if the counted amounts of confirmed refunds exceed the credits by one unit', async () => {
    await refund('confirmed', { amount: 7, counted: 7 })
    expect(await problems()).to.deep.equal(['ch_1 has refunds of 11, but credits of 10'])
  })

  it('fails if an open refund reserves one unit more than is left of the credits', async () => {
    await refund('seen', { amount: 7 })
    expect(await problems()).to.deep.equal(['ch_1 has refunds of 11, but credits of 10'])
  })

  it('fails if refunds without an approved destination reserve one unit more than is left', async () => {
    for (const status of ['awaiting_destination', 'awaiting_approval']) {
      await database.sql`delete from refunds where status like 'awaiting%'`
      await refund(status, { amount: 6 })
      expect(await problems()).to.deep.equal([])
      await refund(status, { amount: 1 })
      expect(await problems()).to.deep.equal(['ch_1 has refunds of 11, but credits of 10'])
    }
  })

  it('holds for a canceled refund whose payment is seen, because it reserves nothing', async () => {
    await refund('seen', { amount: 7, isCanceled: true })
    expect(await problems()).to.deep.equal([])
  })

  type Amounts = {
    readonly amount: number
    readonly counted?: number
    readonly isCanceled?: boolean
  }

  async function refund(status: string, { amount, counted, isCanceled = false }: Amounts): Promise<void> {
    await database.sql`
      insert into refunds values ('ch_1', 1, '0xa', ${status}, ${amount}, ${counted ?? null},
        ${isCanceled ? new Date(0) : null}, null)`
  }

  function problems(): Promise<readonly string[]> {
    return findWrongRefundSums({ database } as unknown as InvariantContext)
  }
})
