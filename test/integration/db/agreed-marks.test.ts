import { expect } from 'chai'
import { CHAIN_TABLES, type ChainTable } from '../../../shared/db/chain-facts/daemon/chain-tables.ts'
import {
  type ObservedEscrowTransfer,
  type ObservedRow,
  type ObservedSplitEvent,
  type ObservedTransfer,
  recordChainRows,
} from '../../../shared/db/chain-facts/daemon/observed-rows.ts'
import { listToVerify, listUncorroborated } from '../../../shared/db/chain-facts/daemon/uncorroborated.ts'
import type { Sql } from '../../../shared/db/connect.ts'
import type { Address, Hex } from '../../../shared/domain/address.ts'
import { atomic, atto } from '../../../shared/domain/money.ts'
import { insertChargeRows } from '../../support/charge-rows.ts'
import { buildCharge, randomHex } from '../../support/factories.ts'
import { connectForTest, createTestDatabase, type TestDatabase } from '../../support/postgres.ts'
import { insertOrganizationRow } from '../../support/rows.ts'

const CHAIN_ID = 8453
const TOKEN = `0x${'c0'.repeat(20)}` as Address
const ACCOUNT = `0x${'ac'.repeat(20)}` as Address
const OTHER = `0x${'0e'.repeat(20)}` as Address
const BLOCK: Hex = `0x${'b1'.repeat(32)}`
const PLACE = { blockNumber: 7, blockHash: BLOCK, blockTimestamp: 1_000, logIndex: 3 }

describe('the quorum mark of a row', () => {
  let database: TestDatabase
  let sql: Sql
  const [charge, second] = [buildCharge(), buildCharge()]
  const txHash = randomHex(32)
  const common = {
    ...{ chargeId: charge.id, chainId: CHAIN_ID, tokenAddress: TOKEN, txHash, ordinal: 0, ...PLACE },
    ...{ kind: '', party: ACCOUNT, amountAtomic: atomic(5n), isAccepted: true },
  }

  before(async () => {
    database = await createTestDatabase()
    sql = connectForTest(database.url.daemon)
    await insertOrganizationRow(database.sql, 'org_one')
    await insertChargeRows(database.sql, [charge, second])
    await database.sql`
      insert into deployments (chain_id, network, environment, family, confirmations, block_time_ms, head_number)
      values (${CHAIN_ID}, 'base', 'live', 'evm', 3, 1000, 7)`
  })

  beforeEach(() => database.sql`truncate transfers, split_events, escrow_transfers`)

  after(async () => {
    await sql?.end()
    await database?.drop()
  })

  const transfer: ObservedTransfer = {
    ...common,
    ...{ network: 'base', token: 'USDC', source: 'contract_watcher' },
    ...{ amountAtto: atto(5n), rejectionReason: null },
  }
  const splitEvent: ObservedSplitEvent = { ...common, kind: 'distributed' }
  const movement: ObservedEscrowTransfer = { ...common, action: 'release', dustAtto: atto(0n) }

  const rowOf: Readonly<Record<ChainTable, ObservedRow>> = {
    ...{ transfers: transfer, split_events: splitEvent, escrow_transfers: movement },
  }
  const changes = { amount: { amountAtomic: atomic(6n) }, party: { party: OTHER } }
  const places = {
    block: { blockHash: randomHex(32) },
    time: { blockTimestamp: 2_000 },
    'log index': { logIndex: 4 },
  }

  for (const table of CHAIN_TABLES) {
    it(`stays in ${table} while the same row is recorded again`, async () => {
      expect(await isMarkedAfter(table, {})).to.equal(true)
    })

    for (const [title, change] of Object.entries({ ...changes, ...places }))
      it(`is removed in ${table} if the row is recorded with another ${title}`, async () => {
        expect(await isMarkedAfter(table, change)).to.equal(false)
      })
  }

  it('is requested for one row of each charge before a second row of any charge', async () => {
    for (const ordinal of [0, 1, 2])
      await record('transfers', { ...transfer, txHash: randomHex(32), ordinal, blockNumber: 4 })
    await record('transfers', { ...transfer, chargeId: second.id, txHash })
    const query = { chainId: CHAIN_ID, isSeenEnough: true, except: { aboveDepth: [], atDepth: [] }, limit: 2 }
    expect((await listUncorroborated(sql, query)).map((one) => one.txHash)).to.include(txHash)
  })

  for (const table of CHAIN_TABLES)
    it(`is requested again for a counted row of ${table} without the mark, once the row is at confirmation depth`, async () => {
      const countedAt = database.sql(table === 'transfers' ? 'credited_at' : 'applied_at')
      const listed = async () =>
        (await listToVerify(sql, { chainId: CHAIN_ID, except: [], limit: 5 })).map((one) => one.txHash)
      await record(table, { ...rowOf[table], blockNumber: 5 })
      expect(await listed(), 'not counted').to.deep.equal([])
      await database.sql`
        update ${database.sql(table)} set agreed_at = now(), agreed_by = '{one,two}', ${countedAt} = now()`
      expect(await listed(), 'agreed').to.deep.equal([])
      await record(table, { ...rowOf[table], blockNumber: 6, blockHash: randomHex(32) })
      expect(await listed(), 'above confirmation depth').to.deep.equal([])
      await record(table, { ...rowOf[table], blockNumber: 5, blockHash: randomHex(32) })
      expect(await listed()).to.deep.equal([txHash])
      await database.sql`update ${database.sql(table)} set inclusion = 'orphaned'`
      expect(await listed(), 'orphaned').to.deep.equal([])
    })

  function record(table: ChainTable, row: ObservedRow): Promise<void> {
    return recordChainRows(sql, table, { rows: [row], ponderSchema: null })
  }

  async function isMarkedAfter(table: ChainTable, change: object): Promise<boolean> {
    await record(table, rowOf[table])
    await database.sql`
      update ${database.sql(table)} set agreed_at = now(), agreed_by = '{one,two}', corroborated_block_hash = block_hash`
    await record(table, { ...rowOf[table], ...change })
    const [row] = await database.sql<{ isMarked: boolean; isDeep: boolean }[]>`
      select agreed_at is not null as is_marked, corroborated_block_hash is not null as is_deep from ${database.sql(table)}`
    expect(row?.isDeep, 'the mark at depth').to.equal(row?.isMarked)
    return row?.isMarked === true
  }
})
