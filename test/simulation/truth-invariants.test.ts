import { expect } from 'chai'
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts'
import type { InvariantContext } from './invariant-context.ts'
import { findFalseOrphans } from './truth-invariants.ts'

const CHAIN_ID = 8453

describe('the invariant that no counted row of the chain is orphaned', () => {
  let database: TestDatabase

  before(async () => {
    database = await createTestDatabase({ isMigrated: false })
    await database.sql`create table witnessed_orphans (what text, chain_id bigint, tx_hash text)`
    await database.sql`insert into witnessed_orphans values ('transfers 5', ${CHAIN_ID}, '0x01')`
  })

  after(() => database.drop())

  it('fails if the chain has the transaction at confirmation depth', async () => {
    expect(await problems()).to.deep.equal([
      'transfers 5 was orphaned after it was counted, although the chain has 0x01',
    ])
  })

  it('holds if the chain does not have the transaction, or once had another at confirmation depth', async () => {
    expect(await problems({ hasTransaction: false })).to.deep.equal([])
    expect(await problems({ hasLostDepth: true })).to.deep.equal([])
  })

  it('holds if an operator trusted a node of the chain to decide alone', async () => {
    expect(await problems({ isMistrusted: true })).to.deep.equal([])
  })

  function problems({ hasTransaction = true, hasLostDepth = false, isMistrusted = false } = {}) {
    const chain = {
      hasLostDepth: () => hasLostDepth,
      deepReceipts: (hash: string) => (hasTransaction && hash === '0x01' ? [{}] : []),
    }
    return findFalseOrphans({
      database,
      history: { scenes: new Map([[CHAIN_ID, { chain }]]) },
      operators: { isMistrusted: () => isMistrusted },
    } as unknown as InvariantContext)
  }
})
