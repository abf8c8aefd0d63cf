import { expect } from 'chai'
import { type SimulatedDatabase, type SimulatedServer, startServer } from './engine/database.ts'
import type { InvariantContext } from './invariant-context.ts'
import { findUnbounded } from './payout-invariants.ts'
import { arrangeWorld, CHAIN_IDS } from './world.ts'

const CHAIN_ID = 8453

describe('the invariant that a payout has at most one pending transaction at a time', function () {
  this.timeout(120_000)
  let server: SimulatedServer
  let database: SimulatedDatabase

  before(async () => {
    server = await startServer(CHAIN_IDS, arrangeWorld)
    database = await server.openDatabase()
    const { sql } = database
    // The transactions below refer to no existing payout or account.
    await sql`
      alter table relayer_transactions drop constraint relayer_transactions_payout_id_fkey,
        drop constraint relayer_transactions_chain_id_relayer_fkey`
    for (const nonce of [0, 1])
      await sql`
        insert into relayer_transactions (tx_hash, chain_id, relayer, nonce, payout_id, raw_transaction, max_fee_per_gas)
        values (${`0x${nonce}`}, ${CHAIN_ID}, '0x', ${nonce}, 2, '0x', 1)`
  })

  after(async () => {
    await database.drop()
    await server.stop()
  })

  it('fails for two pending transactions of one payout', async () => {
    expect(await problems({ hasLostDepth: false })).to.deep.equal(['payout 2 has 2 transactions at once'])
  })

  it('is not checked after a reorganization deeper than the confirmation depth, which can make a failed transaction pending again', async () => {
    expect(await problems({ hasLostDepth: true })).to.deep.equal([])
  })

  function problems({ hasLostDepth }: { readonly hasLostDepth: boolean }): Promise<readonly string[]> {
    const scenes = new Map([[CHAIN_ID, { chain: { hasLostDepth: () => hasLostDepth } }]])
    return findUnbounded({ database, history: { scenes } } as unknown as InvariantContext)
  }
})
