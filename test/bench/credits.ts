import { connect, type Sql } from '../../shared/db/connect.ts'
import { inTransaction } from '../../shared/db/transaction.ts'
import {
  type ChargeFixture,
  createChargeFixture,
  runAllTurns,
} from '../integration/charges/charge-fixture.ts'
import { matchBalances } from '../support/expiry-verifications.ts'
import { insertWebhook } from '../support/rows.ts'
import { type BenchOptions, resize } from './bench.ts'
import { type Comparison, compare } from './compare.ts'

/** Number of payments in one block. */
const PAYMENTS = 500
const AIM = 0.5

/**
 * Tables that both our turns and the yardstick write. In both cases, triggers also write `charges_by_paid_with` and
 * `accounting_balances`. Only our turns write `deliveries`.
 */
const WRITTEN = ['charges', 'charge_ledgers', 'transfers', 'payouts', 'events', 'accounting_entries'] as const
const EMPTIED = ['deliveries', 'charges_by_paid_with', 'accounting_balances', ...WRITTEN] as const

/**
 * Compares the turns of 500 charges that were paid in one block with raw SQL that writes the same rows in the largest
 * possible statements: at most one insert and one update per table, in one transaction, without any read or decision.
 */
export async function benchCredits(options: BenchOptions): Promise<readonly Comparison[]> {
  const { repetitions } = options
  const payments = resize(PAYMENTS, options)
  const stage = await createChargeFixture()
  const admin = connect({
    url: stage.database.url.owner.replace('test_owner@', 'postgres@'),
    applicationName: 'bench',
    maxConnections: 1,
  })
  try {
    await insertWebhook(stage.sql, { id: 'wh_one', events: ['*'] })
    for (const charge of await stage.addCharges(payments)) await stage.pay(charge)
    await matchBalances(stage.sql)
    for (const table of EMPTIED)
      await admin.unsafe(
        `create table before_${table} as table ${table}; create table after_${table} (like ${table})`,
      )
    const ours = () => rate(admin, { payments, work: () => runAllTurns(stage.deps) })
    await ours()
    for (const table of WRITTEN) await admin.unsafe(`insert into after_${table} table ${table}`)
    const statements = await writesOf(admin)
    await requireSame(stage, statements, admin)
    return [
      await compare({
        name: `credit ${payments} payments of one block / the same rows by raw batched SQL`,
        ...{ aim: AIM, repetitions, ours },
        yardstick: () => rate(admin, { payments, work: () => write(stage.sql, statements) }),
      }),
    ]
  } finally {
    await admin.end()
    await stage.close()
  }
}

/** Returns the number of payments credited per second. At the start, all payments are detected and none is credited. */
async function rate(
  admin: Sql,
  { payments, work }: { readonly payments: number; readonly work: () => Promise<void> },
): Promise<number> {
  await restore(admin)
  const startedAtMs = performance.now()
  await work()
  return (payments * 1000) / (performance.now() - startedAtMs)
}

/** Restores every table to its content before the credits, without triggers, which only a superuser can disable. */
async function restore(admin: Sql): Promise<void> {
  await admin.unsafe('set session_replication_role = replica')
  for (const table of EMPTIED) {
    const columns = (await columnsOf(admin, table)).join(', ')
    await admin.unsafe(
      `delete from ${table}; insert into ${table} (${columns}) overriding system value select ${columns} from before_${table}`,
    )
  }
  await admin.unsafe('set session_replication_role = origin')
  await admin.unsafe(`vacuum analyze ${EMPTIED.join(', ')}`)
}

/** A statement and its only parameter, which contains all rows as JSON text. */
type Write = { readonly text: string; readonly rows: string }

/**
 * Builds the statements that turn each `before_` table into its `after_` table: one inserts the new rows, one updates
 * the changed rows.
 */
async function writesOf(admin: Sql): Promise<readonly Write[]> {
  const writes: Write[] = []
  for (const table of WRITTEN) {
    const key = await keyOf(admin, table)
    const isKnown = `exists (select from before_${table} b where ${key.map((column) => `b.${column} = a.${column}`).join(' and ')})`
    const isSame = `exists (select from before_${table} b where to_jsonb(b) = to_jsonb(a))`
    const columns = await columnsOf(admin, table)
    const rowsWhere = async (condition: string) => {
      const [row] = await admin.unsafe<{ rows: string | null }[]>(
        `select jsonb_agg(to_jsonb(a))::text as rows from after_${table} a where ${condition}`,
      )
      return row?.rows ?? null
    }
    const inserted = await rowsWhere(`not ${isKnown}`)
    const source = `jsonb_populate_recordset(null::${table}, $1::text::jsonb)`
    if (inserted !== null)
      writes.push({
        text: `insert into ${table} (${columns.join(', ')}) overriding system value select ${columns.join(', ')} from ${source}`,
        rows: inserted,
      })
    const updated = await rowsWhere(`${isKnown} and not ${isSame}`)
    if (updated !== null) {
      const sets = columns.filter((column) => !key.includes(column))
      const matches = key.map((column) => `t.${column} = u.${column}`).join(' and ')
      writes.push({
        text: `update ${table} t set ${sets.map((column) => `${column} = u.${column}`).join(', ')} from ${source} u where ${matches}`,
        rows: updated,
      })
    }
  }
  return writes
}

/** Returns all columns of a table except generated ones. */
async function columnsOf(admin: Sql, table: string): Promise<readonly string[]> {
  const rows = await admin<{ name: string }[]>`
    select attname as name from pg_attribute
    where attrelid = ${table}::regclass and attnum > 0 and not attisdropped and attgenerated = '' order by attnum`
  return rows.map(({ name }) => name)
}

async function keyOf(admin: Sql, table: string): Promise<readonly string[]> {
  const rows = await admin<{ name: string }[]>`
    select a.attname as name from pg_index i
    join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any (i.indkey)
    where i.indrelid = ${table}::regclass and i.indisprimary`
  return rows.map(({ name }) => name)
}

async function write(sql: Sql, statements: readonly Write[]): Promise<void> {
  await inTransaction(sql, async (db) => {
    for (const { text, rows } of statements) await db.unsafe(text, [rows], { prepare: true })
  })
}

/** Throws if the yardstick leaves a row that our turns do not leave, because the comparison would then be unfair. */
async function requireSame(
  { database }: ChargeFixture,
  statements: readonly Write[],
  admin: Sql,
): Promise<void> {
  await restore(admin)
  await write(database.sql, statements)
  for (const table of WRITTEN) {
    const [row] = await admin.unsafe<{ unlike: number }[]>(
      `select count(*) as unlike from (select to_jsonb(t) from ${table} t except select to_jsonb(a) from after_${table} a) d`,
    )
    if (row?.unlike !== 0) throw new Error(`the yardstick writes ${row?.unlike} different rows of ${table}`)
  }
}
