import { expect } from 'chai'
import { listMissingRows, markOrphaned } from '../../../shared/db/chain-facts/daemon/inclusion.ts'
import { markSplitEvents } from '../../../shared/db/charges/daemon/charge-state.ts'
import type { Sql } from '../../../shared/db/connect.ts'
import type { Address, Hex } from '../../../shared/domain/address.ts'
import { type AtomicUnits, atomic } from '../../../shared/domain/money.ts'
import { insertChargeRows } from '../../support/charge-rows.ts'
import { buildCharge } from '../../support/factories.ts'
import { connectForTest, createTestDatabase, type TestDatabase } from '../../support/postgres.ts'
import { insertOrganizationRow } from '../../support/rows.ts'

const CHAIN_ID = 8453
const TOKEN = `0x${'c0'.repeat(20)}` as Address
const BLOCK: Hex = `0x${'b1'.repeat(32)}`
const OTHER_BLOCK: Hex = `0x${'b2'.repeat(32)}`
const NOW = new Date()

describe('a row that the feed changes between read and write', () => {
  let database: TestDatabase
  let sql: Sql
  const charge = buildCharge()

  before(async () => {
    database = await createTestDatabase()
    sql = connectForTest(database.url.daemon)
    await insertOrganizationRow(database.sql, 'org_one')
    await insertChargeRows(database.sql, [charge])
    await database.sql`
      insert into deployments (chain_id, network, environment, family, confirmations, block_time_ms)
      values (${CHAIN_ID}, 'base', 'live', 'evm', 3, 1000)`
  })

  beforeEach(() => database.sql`truncate transfers, split_events`)

  after(async () => {
    await sql?.end()
    await database?.drop()
  })

  describe('if the row is a missing transfer', () => {
    it('is orphaned if it has been missing since the read', async () => {
      const row = await missingTransfer()
      expect(await markOrphaned(sql, row)).to.equal(true)
      expect(await inclusions()).to.deep.equal(['orphaned'])
    })

    it('is not orphaned if it was included and then missing again', async () => {
      const row = await missingTransfer()
      await database.sql`update transfers set missing_since = missing_since + interval '1 millisecond'`
      expect(await markOrphaned(sql, row)).to.equal(false)
      expect(await inclusions()).to.deep.equal(['missing'])
    })

    it('is not orphaned if it is included again', async () => {
      const row = await missingTransfer()
      await database.sql`update transfers set inclusion = 'included'`
      expect(await markOrphaned(sql, row)).to.equal(false)
      expect(await inclusions()).to.deep.equal(['included'])
    })
  })

  describe('if the row is a split event', () => {
    it('is applied if its amount, block and inclusion are unchanged', async () => {
      expect(await apply(await splitEvent())).to.equal(1)
      expect(await applied()).to.equal(1)
    })

    for (const [title, change] of Object.entries({
      'its amount has changed': (db) => db`update split_events set amount_atomic = 4`,
      'its block has changed': (db) => db`update split_events set block_hash = ${OTHER_BLOCK}`,
      'it has gone missing': (db) => db`update split_events set inclusion = 'missing', missing_since = now()`,
    } satisfies Record<string, (db: Sql) => PromiseLike<unknown>>))
      it(`is not applied if ${title} in the meantime`, async () => {
        const id = await splitEvent()
        await change(database.sql)
        expect(await apply(id)).to.equal(0)
        expect(await applied()).to.equal(0)
      })
  })

  async function missingTransfer() {
    await database.sql`
      insert into transfers (charge_id, network, token, source, chain_id, token_address, tx_hash, ordinal, value_atomic,
        amount_atto, accepted, inclusion, block_number, block_hash, block_timestamp, log_index, missing_since)
      values (${charge.id}, 'base', 'USDC', 'contract_watcher', ${CHAIN_ID}, ${TOKEN}, '0x1', 0, 5, 5, true, 'missing', 1,
        ${BLOCK}, 1, 0, date_trunc('milliseconds', now()))`
    const [row] = await listMissingRows(sql, { chainId: CHAIN_ID, limit: 1 })
    if (row === undefined) throw new Error('no row is missing')
    return row
  }

  async function inclusions(): Promise<readonly string[]> {
    const rows = await sql<{ inclusion: string }[]>`select inclusion from transfers`
    return rows.map(({ inclusion }) => inclusion)
  }

  async function splitEvent(): Promise<number> {
    const [row] = await database.sql<[{ id: number }]>`
      insert into split_events (charge_id, kind, chain_id, token_address, tx_hash, ordinal, account, amount_atomic,
        block_number, block_hash, block_timestamp, log_index, inclusion, agreed_at, agreed_by)
      values (${charge.id}, 'distributed', ${CHAIN_ID}, ${TOKEN}, '0x1', 0, ${TOKEN}, 5, 1, ${BLOCK}, 1, 0, 'included', now(),
        '{one,two}')
      returning id`
    return row.id
  }

  function apply(id: number, amountAtomic: AtomicUnits = atomic(5n)): Promise<number> {
    const read = { id, blockHash: BLOCK, amountAtomic, isAnnounced: true, isApplied: true }
    return markSplitEvents(sql, [read], NOW)
  }

  async function applied(): Promise<number> {
    return (await sql`select from split_events where applied_at is not null`).length
  }
})
