import { expect } from 'chai'
import type { Sql } from '../../../shared/db/connect.ts'
import { moveEscrowOrder } from '../../../shared/db/escrow/daemon/escrow-orders.ts'
import { moveRelayerTransaction } from '../../../shared/db/relayer/daemon/relayer-transactions.ts'
import {
  AUTHORIZATION_MOVES,
  ESCROW_ORDER_MOVES,
  type Move,
  PRESENCE_MOVES,
  RELAYER_TRANSACTION_MOVES,
} from '../../../shared/domain/mirrored-states.ts'
import { connectForTest, createTestDatabase, type TestDatabase } from '../../support/postgres.ts'

const MIRRORS: readonly (readonly [string, string, readonly Move[]])[] = [
  ['relayer_transactions', 'status', RELAYER_TRANSACTION_MOVES],
  ['escrow_orders', 'status', ESCROW_ORDER_MOVES],
  ['authorizations', 'status', AUTHORIZATION_MOVES],
  ['transfers', 'presence', PRESENCE_MOVES],
  ['split_events', 'presence', PRESENCE_MOVES],
  ['escrow_movements', 'presence', PRESENCE_MOVES],
]

describe('what mirrors the chain', () => {
  let database: TestDatabase
  let sql: Sql

  before(async () => {
    database = await createTestDatabase()
    sql = connectForTest(database.url.daemon)
  })
  after(() => database.drop())

  for (const [table, column, moves] of MIRRORS) {
    it(`has in ${table} the states of its moves, and no others`, async () => {
      const [constraint] = await database.sql<{ definition: string }[]>`
        select pg_get_constraintdef(oid) as definition from pg_constraint
        where conrelid = ${table}::regclass and contype = 'c'
          and conkey = array[(select attnum from pg_attribute where attrelid = ${table}::regclass and attname = ${column})]`
      const states = [...(constraint?.definition ?? '').matchAll(/'(\w+)'::text/g)].map(([, state]) => state)
      expect(states).to.have.members([...new Set(moves.flatMap(({ from, to }) => [from, to]))])
    })
  }

  it('makes no move that its table lacks', async () => {
    const wrong = [
      () => moveRelayerTransaction(sql, { txHash: '0x1', from: 'reverted', to: 'final', blockNumber: 1 }),
      () => moveEscrowOrder(sql, { requestId: 'req_1', from: 'final', to: 'signed' }),
    ]
    for (const move of wrong) {
      const error = await move().catch((thrown: unknown) => thrown)
      expect(error)
        .to.be.instanceOf(Error)
        .with.property('message')
        .that.matches(/goes from \w+ to \w+/)
    }
  })
})
