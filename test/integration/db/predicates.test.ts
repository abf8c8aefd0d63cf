import { expect } from 'chai'
import fc from 'fast-check'
import type { Sql } from '../../../shared/db/connect.ts'
import * as sqlLaws from '../../../shared/db/predicates.ts'
import type { Address } from '../../../shared/domain/address.ts'
import { CHARGE_STATUSES, findMerchant, isOpen, isOverpaid } from '../../../shared/domain/charge.ts'
import { isEscrowDust } from '../../../shared/domain/escrow-end.ts'
import { isDust } from '../../../shared/domain/minimum-payout.ts'
import { atomic, atto, micro, microToAtto } from '../../../shared/domain/money.ts'
import { getOwed } from '../../../shared/domain/owed.ts'
import { connectForTest, createTestDatabase, type TestDatabase } from '../../support/postgres.ts'

const ROWS = 300
/** Small amounts, some of which are equal, and amounts that no double can represent. */
const amounts = fc.oneof(fc.bigInt(0n, 20n), fc.bigInt(0n, 10n ** 40n))
const addresses = fc.constantFrom(...(['0xa', '0xb', '0xc'] as readonly string[] as readonly Address[]))

describe('a predicate that PostgreSQL evaluates', () => {
  let database: TestDatabase
  let sql: Sql

  before(async () => {
    database = await createTestDatabase()
    sql = connectForTest(database.url.daemon)
  })

  after(() => database.drop())

  it('finds the same open charges as TypeScript, also in the indexes of open charges', async () => {
    const predicates = await database.sql<{ predicate: string }[]>`
      select pg_get_expr(indpred, indrelid) as predicate from pg_index join pg_class on oid = indexrelid
      where indrelid = 'charges'::regclass and relname like 'charges_open%'`
    expect(predicates).to.not.be.empty
    const rows = CHARGE_STATUSES.map((status) => ({ status }))
    const conditions = [
      sqlLaws.isOpen(sql, sql`c.status`),
      ...predicates.map(({ predicate }) => sql.unsafe(predicate)),
    ]
    for (const condition of conditions) {
      const found = await sql<{ is: boolean }[]>`
        select (${condition}) as is from jsonb_to_recordset(${sql.json(rows)}) as c (status text)`
      expect(found.map(({ is }) => is)).to.deep.equal(rows.map(isOpen))
    }
  })

  it('finds the same overpaid charges as TypeScript', async () => {
    const rows = fc
      .sample(
        fc.record({
          received: fc.option(amounts),
          micros: fc.bigInt(0n, 10n ** 18n),
          over: fc.bigInt(-1n, 1n),
        }),
        ROWS,
      )
      .map(({ received, micros, over }) => ({
        amount: micros,
        // About one third of the amounts are at the limit, or one unit above or below it.
        received: received === null || received % 3n > 0n ? received : microToAtto(micro(micros)) + over,
      }))
    const [column] = await database.sql<{ expression: string }[]>`
      select pg_get_expr(adbin, adrelid) as expression from pg_attrdef join pg_attribute on attrelid = adrelid
        and attnum = adnum where attrelid = 'charges'::regclass and attname = 'is_overpaid'`
    const found = await sql<{ is: boolean }[]>`
      select (${sql.unsafe(column?.expression ?? '')}) as is
      from jsonb_to_recordset(${asJson(sql, rows)}) as c (n int, amount numeric, received numeric)
        cross join lateral (select amount as amount_micro, received as received_atto) as charge
      order by c.n`
    const expected = rows.map(({ amount, received }) =>
      isOverpaid({
        receivedAtto: received === null ? null : atto(received),
        targetAtto: microToAtto(micro(amount)),
      }),
    )
    expect(found.map(({ is }) => is)).to.deep.equal(expected)
    expect(new Set(expected)).to.have.property('size', 2)
  })

  it('returns the same owed amounts as TypeScript', async () => {
    const rows = fc.sample(fc.record({ payable: amounts, distributed: amounts }), ROWS)
    const found = await sql<{ owed: bigint }[]>`
      select ${sqlLaws.owedAtomic(sql)} as owed
      from jsonb_to_recordset(${asJson(sql, rows)}) as r (n int, payable numeric, distributed numeric)
        cross join lateral (select payable as payable_atomic, distributed as distributed_atomic) as l
      order by r.n`
    const expected = rows.map(({ payable, distributed }) =>
      getOwed({ payableAtomic: atomic(payable), distributedAtomic: atomic(distributed) }),
    )
    expect(found.map(({ owed }) => owed)).to.deep.equal(expected)
  })

  it('treats the same owed amounts as dust as TypeScript does, in tokens with any number of decimals', async () => {
    const rows = fc
      .sample(
        fc.record({ amount: fc.bigInt(0n, 10n ** 25n), decimals: fc.integer({ min: 0, max: 18 }) }),
        ROWS,
      )
      .flatMap((row) => [row, { ...row, amount: 10n ** BigInt(row.decimals) + (row.amount % 3n) - 1n }])
    const minimumAtto = atto(10n ** 18n)
    const found = await sql<{ is: boolean }[]>`
      select ${sqlLaws.isDust(sql, sql`t.amount`, minimumAtto)} as is
      from jsonb_to_recordset(${asJson(sql, rows)}) as t (n int, amount numeric, decimals int) order by t.n`
    const expected = rows.map(({ amount, decimals }) => isDust(atomic(amount), { decimals, minimumAtto }))
    expect(found.map(({ is }) => is)).to.deep.equal(expected)
    expect(new Set(expected)).to.have.property('size', 2)
  })

  it('treats the same amounts in an escrow as dust as TypeScript does', async () => {
    const rows = fc
      .sample(fc.record({ credited: amounts, micros: fc.bigInt(1n, 10n ** 18n) }), ROWS)
      // Half of the amounts are at the limit, or one unit above or below it.
      .flatMap((row) => [row, { ...row, credited: row.micros * 10n ** 10n + (row.credited % 3n) - 1n }])
    const found = await sql<{ is: boolean }[]>`
      select ${sqlLaws.isEscrowDust(sql, sql`c.credited`)} as is
      from (select n, credited, micros as amount_micro
        from jsonb_to_recordset(${asJson(sql, rows)}) as r (n int, credited numeric, micros numeric)) c
      order by c.n`
    const expected = rows.map(({ credited, micros }) => isEscrowDust(atto(credited), micro(micros)))
    expect(found.map(({ is }) => is)).to.deep.equal(expected)
    expect(new Set(expected)).to.have.property('size', 2)
  })

  it('identifies the same merchant as TypeScript', async () => {
    const rows = fc.sample(
      fc.record({
        recipients: fc.array(addresses, { minLength: 1 }),
        splits: fc.array(addresses),
        recipient: addresses,
      }),
      ROWS,
    )
    const found = await sql<{ is: boolean }[]>`
      select ${sqlLaws.isMerchantRecipient(sql, sql`c.recipient`)} as is
      from (select n, recipient, jsonb_build_object('recipients', recipients) as split_terms,
          (select coalesce(jsonb_agg(jsonb_build_object('address', s)), '[]') from jsonb_array_elements(splits) s)
            as split_recipients
        from jsonb_to_recordset(${asJson(sql, rows)})
          as r (n int, recipients jsonb, splits jsonb, recipient text)) c
      order by c.n`
    const expected = rows.map(({ recipients, splits, recipient }) => {
      const splitRecipients = splits.map((address) => ({ address, percentText: '1' }))
      return findMerchant({ splitTerms: { recipients } as never, splitRecipients }) === recipient
    })
    expect(found.map(({ is }) => is)).to.deep.equal(expected)
  })
})

/** Returns JSON for jsonb_to_recordset. The rows are numbered in their order, and bigints are text. */
function asJson(sql: Sql, rows: readonly Readonly<Record<string, unknown>>[]) {
  const plain = rows.map((row, n) => ({
    n,
    ...Object.fromEntries(
      Object.entries(row).map(([key, value]) => [key, typeof value === 'bigint' ? String(value) : value]),
    ),
  }))
  return sql.json(plain as never)
}
