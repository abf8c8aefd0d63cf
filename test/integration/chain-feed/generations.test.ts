import { expect } from 'chai'
import { findGenerations, type GenerationSettings } from '../../../indexer/chain-feed/generation.ts'
import type { Sql } from '../../../shared/db/connect.ts'
import type { Address } from '../../../shared/domain/address.ts'
import { connectForTest, createTestDatabase, type TestDatabase } from '../../support/postgres.ts'
import { insertBase, OTHER_ADDRESS, SOME_ADDRESS } from '../../support/rows.ts'

const spec: GenerationSettings = {
  ...{ chainId: 8453, network: 'base', environment: 'live' },
  emitters: [SOME_ADDRESS as Address],
}

describe('the generations of a feed', () => {
  let database: TestDatabase
  let sql: Sql

  before(async () => {
    database = await createTestDatabase()
    await insertBase(database.sql)
    sql = connectForTest(database.url.daemon)
    await sql`create schema ponder_sync`
    await sql`create table ponder_sync.intervals (chain_id int8)`
  })
  after(async () => {
    await sql.end()
    await database.drop()
  })

  it('delete Ponder’s cache of the chain, but of no other chain, if the emitters change', async () => {
    await findGenerations(sql, spec, () => Promise.resolve(5))
    await sql`insert into ponder_sync.intervals (chain_id) values (8453), (8453), (56)`

    await findGenerations(sql, spec, () =>
      Promise.reject(new Error('the first block must not be read again')),
    )
    expect(await sql`select chain_id from ponder_sync.intervals order by 1`).to.have.length(3)

    const emitters = [...spec.emitters, OTHER_ADDRESS as Address]
    const { next } = await findGenerations(sql, { ...spec, emitters }, () =>
      Promise.reject(new Error('the first block must not be read again')),
    )
    expect(next?.emitters).to.deep.equal(emitters)
    expect(await sql`select chain_id from ponder_sync.intervals`).to.deep.equal([{ chainId: 56 }])
  })
})
