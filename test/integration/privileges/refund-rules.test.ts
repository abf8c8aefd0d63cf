import { expect } from 'chai'
import { errorCode, type Sql } from '../../../shared/db/connect.ts'
import { insertChargeRows } from '../../support/charge-rows.ts'
import { buildCharge, randomHex } from '../../support/factories.ts'
import { connectForTest, createTestDatabase, type TestDatabase } from '../../support/postgres.ts'
import { insertBase, insertOrganizationRow, SOME_ADDRESS } from '../../support/rows.ts'

const CHECK_VIOLATION = '23514'
const INSUFFICIENT_PRIVILEGE = '42501'
/** The amount that a charge received, and the amount of a refund. */
const [RECEIVED, AMOUNT] = [10_000_000n, 6_000_000n]
const TWO_OPERATORS = ['one', 'two']

describe('the rules of refunds in the database', () => {
  let database: TestDatabase
  let daemon: Sql
  let chargeId: string

  before(async () => {
    database = await createTestDatabase()
    daemon = connectForTest(database.url.daemon)
    await insertOrganizationRow(database.sql, 'org_one')
    await insertBase(database.sql)
    await database.sql`update deployments set quorum = 2`
  })
  beforeEach(async () => {
    const charge = buildCharge({ organizationId: 'org_one', apiKeyId: 'key_org_one' })
    chargeId = charge.id
    await insertChargeRows(database.sql, [charge])
    await database.sql`
      insert into charge_ledgers (charge_id, chain_id, network, token, token_address, credited_atomic)
      values (${chargeId}, 8453, 'base', 'USDC', ${SOME_ADDRESS}, ${database.sql.types.numeric(RECEIVED)})`
  })
  after(async () => {
    await daemon.end()
    await database.drop()
  })

  for (const [status, change] of [
    ['seen', {}],
    ['confirmed', { counted_atomic: AMOUNT, confirmed_at: new Date() }],
  ] as const) {
    it(`allow the status ${status} with the votes of two operators`, async () => {
      expect(await codeOf(move(await declare(), { status, agreed_by: TWO_OPERATORS, ...change }))).to.equal(
        'done',
      )
    })

    for (const [what, votes] of [
      ['the vote of one operator', ['one']],
      ['two votes of one operator', ['one', 'one']],
      ['the vote of a node without an order to trust it', ['trusted:one']],
      ['the votes of two nodes without such an order', ['trusted:one', 'trusted:two']],
      ['the mark of rows from before quorums existed', ['before-quorum']],
    ] as const)
      it(`do not allow the status ${status} with ${what}`, async () => {
        expect(await codeOf(move(await declare(), { status, agreed_by: votes, ...change }))).to.equal(
          CHECK_VIOLATION,
        )
      })
  }

  it('allow a confirmation by a node that an operator trusts, until the operator’s order ends', async () => {
    await database.sql`
      insert into node_trusts (chain_id, node, reason, ends_at) values (8453, 'one', 'the other is down', now() + interval '1 hour')`
    const confirmed = {
      status: 'confirmed',
      counted_atomic: 1n,
      confirmed_at: new Date(),
      agreed_by: ['trusted:one'],
    }
    expect(await codeOf(move(await declare(), confirmed))).to.equal('done')
    await database.sql`update node_trusts set ends_at = ordered_at + interval '1 microsecond'`
    expect(await codeOf(move(await declare(), confirmed))).to.equal(CHECK_VIOLATION)
  })

  it('require a quorum again if the transfer or block of a seen refund changes', async () => {
    const id = await declare()
    await move(id, { status: 'seen', agreed_by: TWO_OPERATORS })
    for (const change of [{ tx_hash: randomHex(32) }, { block_number: 999 }, { block_hash: randomHex(32) }])
      expect(await codeOf(update(id, { ...change, agreed_by: ['one'] }))).to.equal(CHECK_VIOLATION)
    expect(await codeOf(update(id, { block_number: 999, agreed_by: TWO_OPERATORS }))).to.equal('done')
  })

  it('do not let a confirmed refund change', async () => {
    const id = await declare()
    await move(id, {
      status: 'confirmed',
      counted_atomic: 1n,
      confirmed_at: new Date(),
      agreed_by: TWO_OPERATORS,
    })
    for (const change of [
      { status: 'awaiting_payment', confirmed_at: null, counted_atomic: null },
      { status: 'canceled', confirmed_at: null, counted_atomic: null },
      { counted_atomic: 2n },
      { tx_hash: randomHex(32) },
      { ordinal: 1 },
      { confirmed_at: new Date(0) },
      { expired_at: new Date(0) },
    ])
      expect(await codeOf(update(id, change)), Object.keys(change).join()).to.equal(CHECK_VIOLATION)
    expect(await codeOf(update(id, { scanned_block: 1_000 }))).to.equal('done')
  })

  it('reject a refund if it would count more than the received amount minus all other counted refunds', async () => {
    const confirmed = { status: 'confirmed', confirmed_at: new Date(), agreed_by: TWO_OPERATORS }
    await move(await declare(), { ...confirmed, counted_atomic: AMOUNT })
    const id = await declare()
    expect(await codeOf(move(id, { ...confirmed, counted_atomic: RECEIVED - AMOUNT + 1n }))).to.equal(
      CHECK_VIOLATION,
    )
    expect(await codeOf(move(id, { ...confirmed, counted_atomic: RECEIVED - AMOUNT }))).to.equal('done')
  })

  for (const [what, columns] of [
    ['a transfer', { tx_hash: randomHex(32), ordinal: 0 }],
    ['votes', { agreed_by: TWO_OPERATORS }],
    ['a counted amount', { counted_atomic: 1n }],
  ] as const)
    it(`do not let the daemon declare a refund with ${what}`, async () => {
      expect(await codeOf(insert(daemon, columns))).to.equal(INSUFFICIENT_PRIVILEGE)
    })

  async function declare(): Promise<string> {
    const [row] = await insert(daemon, {})
    return (row as { id: string }).id
  }

  function insert(sql: Sql, columns: object) {
    const amount = AMOUNT
    return sql<{ id: string }[]>`insert into refunds ${sql(
      parametersOf(sql, {
        ...{
          id: `rf_${randomHex(20).slice(2)}`,
          charge_id: chargeId,
          organization_id: 'org_one',
          environment: 'live',
        },
        ...{
          family: 'evm',
          network: 'base',
          token: 'USDC',
          chain_id: 8453,
          token_address: SOME_ADDRESS,
          decimals: 6,
        },
        ...{
          sender: SOME_ADDRESS,
          destination: randomHex(20),
          amount_atomic: amount,
          after_block: 1,
          scanned_block: 1,
        },
        ...{ reason: 'other', idempotency_key: randomHex(8), request_hash: '', created_at: new Date() },
        ...{ expires_at: new Date(Date.now() + 1_000_000), ...columns },
      }),
    )} returning id`
  }

  /** Updates a refund with a new transfer and these columns. */
  function move(id: string, columns: object) {
    const transfer = {
      tx_hash: randomHex(32),
      ordinal: 0,
      block_number: 7,
      block_hash: randomHex(32),
      block_timestamp: 1,
    }
    return update(id, { ...transfer, ...columns })
  }

  function update(id: string, columns: object) {
    return daemon`update refunds set ${daemon(parametersOf(daemon, columns))} where id = ${id}`
  }
})

/** Wraps bigint values as numeric parameters. */
function parametersOf(sql: Sql, columns: object): never {
  const wrapped = Object.entries(columns).map(([name, value]) => [
    name,
    typeof value === 'bigint' ? sql.types.numeric(value) : value,
  ])
  return Object.fromEntries(wrapped) as never
}

async function codeOf(work: PromiseLike<unknown>): Promise<string> {
  try {
    await work
    return 'done'
  } catch (error) {
    return errorCode(error) ?? String(error)
  }
}
