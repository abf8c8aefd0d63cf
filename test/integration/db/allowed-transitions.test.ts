import { expect } from 'chai'
import type { Sql } from '../../../shared/db/connect.ts'
import { transitionEscrowOrder } from '../../../shared/db/escrow/daemon/escrow-orders.ts'
import { transitionRelayerTransaction } from '../../../shared/db/relayer/daemon/relayer-transactions.ts'
import {
  AUTHORIZATION_TRANSITIONS,
  ESCROW_ORDER_TRANSITIONS,
  INCLUSION_TRANSITIONS,
  RELAYER_TRANSACTION_TRANSITIONS,
  type Transition,
} from '../../../shared/domain/allowed-transitions.ts'
import { connectForTest, createTestDatabase, type TestDatabase } from '../../support/postgres.ts'

const MIRRORS: readonly (readonly [string, string, readonly Transition[]])[] = [
  ['relayer_transactions', 'status', RELAYER_TRANSACTION_TRANSITIONS],
  ['escrow_orders', 'status', ESCROW_ORDER_TRANSITIONS],
  ['authorizations', 'status', AUTHORIZATION_TRANSITIONS],
  ['transfers', 'inclusion', INCLUSION_TRANSITIONS],
  ['split_events', 'inclusion', INCLUSION_TRANSITIONS],
  ['escrow_transfers', 'inclusion', INCLUSION_TRANSITIONS],
]

describe('the states of rows that mirror the chain', () => {
  let database: TestDatabase
  let sql: Sql

  before(async () => {
    database = await createTestDatabase()
    sql = connectForTest(database.url.daemon)
  })
  after(() => database.drop())

  for (const [table, column, moves] of MIRRORS) {
    it(`of ${table} are exactly those of the allowed transitions`, async () => {
      const [constraint] = await database.sql<{ definition: string }[]>`
        select pg_get_constraintdef(oid) as definition from pg_constraint
        where conrelid = ${table}::regclass and contype = 'c'
          and conkey = array[(select attnum from pg_attribute where attrelid = ${table}::regclass and attname = ${column})]`
      const states = [...(constraint?.definition ?? '').matchAll(/'(\w+)'::text/g)].map(([, state]) => state)
      expect(states).to.have.members([...new Set(moves.flatMap(({ from, to }) => [from, to]))])
    })
  }

  it('do not change if the code requests a forbidden transition of a relayer transaction or an escrow order', async () => {
    const wrong = [
      () =>
        transitionRelayerTransaction(sql, { txHash: '0x1', from: 'reverted', to: 'final', blockNumber: 1 }),
      () => transitionEscrowOrder(sql, { requestId: 'req_1', from: 'final', to: 'signed' }),
    ]
    for (const move of wrong) {
      const error = await move().catch((thrown: unknown) => thrown)
      expect(error)
        .to.be.instanceOf(Error)
        .with.property('message')
        .that.matches(/(goes|cannot change) from \w+ to \w+/)
    }
  })
})
