import { connect as connectTcp } from 'node:net'
import { expect } from 'chai'
import { connect, errorCode, isRetryable, type Sql } from '../../../shared/db/connect.ts'
import { inTransaction } from '../../../shared/db/transaction.ts'
import { VALUE_TYPES } from '../../../shared/db/value-types.ts'
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts'

describe('connect', () => {
  let database: TestDatabase | undefined
  let sql: Sql

  before(async () => {
    database = await createTestDatabase()
    sql = database.sql
    await sql`create table samples (
      id int primary key, money_value numeric(78, 0), fee_percent numeric(7, 4), big_count int8, counts int8[],
      amounts numeric(78, 0)[], happened_at timestamptz, raw_json json, words text[])`
  })

  after(() => database?.drop())

  it('returns a numeric of 78 digits as the same bigint', async () => {
    const amount = 10n ** 78n - 1n
    const [row] = await sql<{ moneyValue: bigint }[]>`
      insert into samples (id, money_value) values (1, ${sql.types.numeric(amount)}) returning money_value`
    expect(row?.moneyValue).to.equal(amount)
  })

  it('reads a numeric expression, such as a sum, as bigint and null as null', async () => {
    const rows = await sql<{ total: bigint; nothing: null }[]>`
      select sum(value) as total, null::numeric as nothing from (values (1::numeric), (2)) as v (value)`
    expect(rows).to.deep.equal([{ total: 3n, nothing: null }])
  })

  it('sends arrays of numeric and of int8', async () => {
    const amounts = [sql.types.numeric(1n), sql.types.numeric(-(10n ** 30n))]
    const [row] = await sql<{ amounts: bigint[]; counts: number[] }[]>`
      insert into samples (id, amounts, counts)
      values (2, array[${amounts[0] ?? null}, ${amounts[1] ?? null}]::numeric[], ${[1, 8453]})
      returning amounts, counts`
    expect(row).to.deep.equal({ amounts: [1n, -(10n ** 30n)], counts: [1, 8453] })
  })

  it('sends every value of an array unchanged', async () => {
    const words = ['', ' ', ',', '{}', '"', '\\', '\\"', 'NULL', 'null', 'two\nlines', "'", 'é💶', null]
    const rows = await sql`
      select ${words}::text[] as words, ${[] as string[]}::text[] as none, ${[7, -2]}::int[] as numbers,
        ${sql.types.numerics([5n, -(10n ** 77n)])} as amounts, ${['1', '2']}::numeric[] as texts, null::text[] as nothing`
    expect(rows).to.deep.equal([
      { words, none: [], numbers: [7, -2], amounts: [5n, -(10n ** 77n)], texts: [1n, 2n], nothing: null },
    ])
  })

  it('rejects an array with two dimensions, undefined elements or non-text elements', async () => {
    for (const words of [[['a']], [undefined], [1]] as unknown as string[][])
      expect(await failureOf(sql`select ${words}::text[]`)).to.match(
        /contains (an array|undefined)|is a number/,
      )
    expect(await failureOf(sql`select '{{a},{b}}'::text[] as words`)).to.include(
      'is not a one-dimensional array',
    )
  })

  it('supports every array type that our tables and functions use, except arrays of rows', async () => {
    const carried = Object.values(VALUE_TYPES).flatMap(({ from }) => from)
    const rows = await sql<{ oid: number; name: string }[]>`
      with ours as (
        select a.atttypid as type from pg_attribute a join pg_class c on c.oid = a.attrelid
        where c.relnamespace = 'public'::regnamespace and a.attnum > 0 and not a.attisdropped
        union select unnest(array_append(p.proargtypes::oid[], p.prorettype)) from pg_proc p
        where p.pronamespace = 'public'::regnamespace)
      select t.oid, t.typname as name from ours join pg_type t on t.oid = ours.type
      join pg_type e on e.oid = t.typelem
      where t.typcategory = 'A' and e.typtype <> 'c'`
    expect(rows.filter(({ oid }) => !carried.includes(oid))).to.deep.equal([])
    expect(rows).not.to.deep.equal([])
  })

  it('opens its connections with `openSocket` instead of connecting to the host of the URL', async () => {
    const { port, pathname } = new URL(database?.url.owner ?? '')
    let opened = 0
    const openSocket = () => {
      opened += 1
      return connectTcp(Number(port), '127.0.0.1')
    }
    const url = `postgres://test_owner@nowhere.invalid${pathname}`
    const pool = connect({ url, applicationName: 'test', maxConnections: 1, openSocket })
    expect([...(await pool`select 1 as one`)]).to.deep.equal([{ one: 1 }])
    expect(opened).to.equal(1)
    await pool.end()
  })

  it('rejects an unwrapped bigint, even a small one', async () => {
    expect(await failureOf(sql`insert into samples (id, money_value) values (3, ${5n})`)).to.include(
      'bigint parameter 5 is not wrapped',
    )
  })

  it('rejects a number for a column of amounts', async () => {
    expect(await failureOf(sql`insert into samples (id, money_value) values (3, ${5})`)).to.include(
      'numeric parameter is a number',
    )
  })

  it('accepts a percent only as text, and returns it as text', async () => {
    await sql`insert into samples (id, fee_percent) values (4, ${'1.5'})`
    const rows = await sql`select fee_percent::text from samples where id = 4`
    expect(rows).to.deep.equal([{ feePercent: '1.5000' }])
    expect(await failureOf(sql`select fee_percent from samples where id = 4`)).to.include(
      'select it as ::text',
    )
  })

  it('reads int8 as a number if it is a safe integer, and rejects all other values', async () => {
    const rows = await sql`select 9007199254740991::int8 as largest, count(*) from samples where false`
    expect(rows).to.deep.equal([{ largest: Number.MAX_SAFE_INTEGER, count: 0 }])
    for (const tooFar of ['9007199254740992', '-9007199254740992'])
      expect(await failureOf(sql`select ${sql.unsafe(`${tooFar}::int8`)} as n`)).to.include(
        `int8 ${tooFar} is not from -9007199254740991 to 9007199254740991`,
      )
  })

  it('reads timestamptz as Date, and leaves keys inside json unchanged', async () => {
    const moment = new Date('2026-11-20T12:00:00.123Z')
    const rows = await sql`
      insert into samples (id, happened_at, raw_json) values (5, ${moment}, ${sql.json({ some_key: [1] })})
      returning happened_at, raw_json`
    expect(rows).to.deep.equal([{ happenedAt: moment, rawJson: { some_key: [1] } }])
  })

  it('writes camelCase keys of an inserted object to snake_case columns', async () => {
    const row = { id: 6, bigCount: 7, words: ['a', 'b'] }
    const rows = await sql`insert into samples ${sql(row)} returning id, big_count, words`
    expect(rows).to.deep.equal([row])
  })

  it('limits statements to 30 s and idle transactions to 15 s', async () => {
    const rows = await sql`select current_setting('statement_timeout') as statement,
      current_setting('idle_in_transaction_session_timeout') as idle`
    expect(rows).to.deep.equal([{ statement: '30s', idle: '15s' }])
  })
})

describe('inTransaction', () => {
  let database: TestDatabase | undefined
  let sql: Sql

  before(async () => {
    database = await createTestDatabase()
    sql = database.sql
    await sql`create table accounts (id int primary key, balance int not null)`
    await sql`insert into accounts values (1, 0), (2, 0)`
  })

  after(() => database?.drop())

  it('rolls back all changes if the callback throws', async () => {
    const failure = await failureOf(
      inTransaction(sql, async (db) => {
        await db`update accounts set balance = 99`
        throw new Error('no')
      }),
    )
    expect(failure).to.equal('no')
    expect(await sql`select from accounts where balance = 99`).to.have.length(0)
  })

  it('retries the loser of a deadlock, so that both transactions commit', async () => {
    let arrived = 0
    let runs = 0
    let open: () => void = () => {}
    const bothArrived = new Promise<void>((resolve) => {
      open = resolve
    })
    const addTo = (first: number, second: number) =>
      inTransaction(sql, async (db) => {
        runs += 1
        await db`update accounts set balance = balance + 1 where id = ${first}`
        arrived += 1
        if (arrived >= 2) open()
        await bothArrived
        await db`update accounts set balance = balance + 1 where id = ${second}`
      })
    await Promise.all([addTo(1, 2), addTo(2, 1)])
    expect(await sql`select id, balance from accounts order by id`).to.deep.equal([
      { id: 1, balance: 2 },
      { id: 2, balance: 2 },
    ])
    expect(runs).to.be.at.least(3)
  })

  it('gives up after three deadlocks and throws the last error', async () => {
    let runs = 0
    const work = inTransaction(sql, async (db) => {
      runs += 1
      await db`do $$ begin raise sqlstate '40P01'; end $$`
    })
    const error = await work.catch((thrown: unknown) => thrown)
    expect(errorCode(error)).to.equal('40P01')
    expect(isRetryable(error)).to.equal(true)
    expect(runs).to.equal(3)
  })

  it('does not retry after other errors', async () => {
    let runs = 0
    const failure = inTransaction(sql, async (db) => {
      runs += 1
      await db`insert into accounts values (1, 0)`
    })
    const error = await failure.catch((thrown: unknown) => thrown)
    expect(errorCode(error)).to.equal('23505')
    expect(isRetryable(error)).to.equal(false)
    expect(runs).to.equal(1)
  })
})

async function failureOf(work: PromiseLike<unknown>): Promise<string> {
  try {
    await work
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  return 'nothing failed'
}
