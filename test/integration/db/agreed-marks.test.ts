import { expect } from 'chai'
import { recordSplitEvents } from '../../../shared/db/chain-facts/daemon/split-events.ts'
import { type ObservedTransfer, recordTransfers } from '../../../shared/db/chain-facts/daemon/transfers.ts'
import { listUncorroborated } from '../../../shared/db/chain-facts/daemon/uncorroborated.ts'
import type { Sql } from '../../../shared/db/connect.ts'
import {
  type ObservedEscrowTransfer,
  recordEscrowTransfers,
} from '../../../shared/db/escrow/daemon/escrow-transfers.ts'
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
  const common = { chargeId: charge.id, chainId: CHAIN_ID, tokenAddress: TOKEN, txHash, ordinal: 0, ...PLACE }

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
    ...{ network: 'base', token: 'USDC', source: 'contract_watcher', sender: ACCOUNT },
    ...{ valueAtomic: atomic(5n), amountAtto: atto(5n), rejectionReason: null },
  }
  const splitEvent = { ...common, kind: 'distributed', account: ACCOUNT, amountAtomic: atomic(5n) } as const
  const movement: ObservedEscrowTransfer = {
    ...common,
    ...{ action: 'release', recipient: ACCOUNT, amountAtomic: atomic(5n), dustAtto: atto(0n) },
  }

  const tables = {
    transfers: {
      record: (change: object) => recordTransfers(sql, [{ ...transfer, ...change }], null),
      changes: { amount: { valueAtomic: atomic(6n) }, sender: { sender: OTHER } },
    },
    split_events: {
      record: (change: object) => recordSplitEvents(sql, [{ ...splitEvent, ...change }], null),
      changes: { amount: { amountAtomic: atomic(6n) }, account: { account: OTHER } },
    },
    escrow_transfers: {
      record: (change: object) => recordEscrowTransfers(sql, [{ ...movement, ...change }], null),
      changes: { amount: { amountAtomic: atomic(6n) }, recipient: { recipient: OTHER } },
    },
  } as const
  const places = {
    block: { blockHash: randomHex(32) },
    time: { blockTimestamp: 2_000 },
    'log index': { logIndex: 4 },
  }

  for (const [table, { record, changes }] of Object.entries(tables)) {
    it(`stays in ${table} while the same row is recorded again`, async () => {
      expect(await isMarkedAfter(table, record, {})).to.equal(true)
    })

    for (const [what, change] of Object.entries({ ...changes, ...places }))
      it(`is removed in ${table} if another ${what} is recorded`, async () => {
        expect(await isMarkedAfter(table, record, change)).to.equal(false)
      })
  }

  it('is requested for one row of each charge before a second row of any charge', async () => {
    for (const ordinal of [0, 1, 2])
      await recordTransfers(sql, [{ ...transfer, txHash: randomHex(32), ordinal, blockNumber: 4 }], null)
    await recordTransfers(sql, [{ ...transfer, chargeId: second.id, txHash }], null)
    const query = { chainId: CHAIN_ID, isSeenEnough: true, except: { aboveDepth: [], atDepth: [] }, limit: 2 }
    expect((await listUncorroborated(sql, query)).map((one) => one.txHash)).to.include(txHash)
  })

  async function isMarkedAfter(
    table: string,
    record: (change: object) => Promise<void>,
    change: object,
  ): Promise<boolean> {
    await record({})
    await database.sql`
      update ${database.sql(table)} set agreed_at = now(), agreed_by = '{one,two}', corroborated_block_hash = block_hash`
    await record(change)
    const [row] = await database.sql<{ isMarked: boolean; isDeep: boolean }[]>`
      select agreed_at is not null as is_marked, corroborated_block_hash is not null as is_deep from ${database.sql(table)}`
    expect(row?.isDeep, 'the depth of its votes').to.equal(row?.isMarked)
    return row?.isMarked === true
  }
})
