import { expect } from 'chai'
import { resetFeed } from '../../../shared/db/chain-facts/daemon/feed-repairs.ts'
import { deletePonderCache } from '../../../shared/db/chain-facts/daemon/ponder-maintenance.ts'
import type { Sql } from '../../../shared/db/connect.ts'
import { inTransaction } from '../../../shared/db/transaction.ts'
import { insertPonderCharge, transfersTo } from '../../support/ponder-fixture.ts'
import { connectForTest, createTestDatabase, type TestDatabase } from '../../support/postgres.ts'
import { insertBase } from '../../support/rows.ts'

const CHAIN_ID = 8453

describe('the reset of a feed', () => {
  let database: TestDatabase
  let sql: Sql

  before(async () => {
    database = await createTestDatabase()
    await insertBase(database.sql)
    await database.sql`insert into organizations (id, name) values ('org_one', 'one')`
    sql = connectForTest(database.url.daemon)
    await sql`create schema ponder_sync`
    await sql`create table ponder_sync.logs (chain_id int8)`
    await sql`insert into ponder_sync.logs (chain_id) values (${CHAIN_ID}), (56)`
  })
  after(async () => {
    await sql.end()
    await database.drop()
  })

  it('marks uncounted rows as missing from the start block on, and as orphaned above the head of the chain', async () => {
    const charge = await insertPonderCharge(database.sql, { chainId: CHAIN_ID })
    const rows = [1, 2, 3].map((ordinal) => ({ block: [10, 90, 500][ordinal - 1] as number, ordinal }))
    for (const { block, ordinal } of rows)
      await database.sql`
        insert into transfers (charge_id, network, token, source, chain_id, token_address, tx_hash, ordinal, sender,
          value_atomic, amount_atto, accepted, block_number, block_hash, block_timestamp, log_index, inclusion,
          ponder_schema)
        values (${charge.id}, 'base', 'USDC', 'contract_watcher', ${CHAIN_ID}, ${`0x${'c0'.repeat(20)}`},
          ${`0x${'ab'.repeat(32)}`}, ${ordinal}, ${`0x${'11'.repeat(20)}`}, 1, 1, true, ${block},
          ${`0x${'cd'.repeat(32)}`}, 1, 0, 'included', 'schema_one')`
    await inTransaction(sql, async (db) => {
      await resetFeed(db, { chainId: CHAIN_ID, fromBlock: 50, headNumber: 100 })
      await deletePonderCache(db, CHAIN_ID)
    })
    expect((await transfersTo(sql, charge.address)).map(({ inclusion }) => inclusion)).to.deep.equal([
      ...['included', 'missing', 'orphaned'],
    ])
    expect(await sql`select chain_id from ponder_sync.logs`).to.deep.equal([{ chainId: 56 }])
  })
})
