import { expect } from 'chai'
import {
  connect,
  errorCode,
  isDatabaseUnavailable,
  isRetryable,
  type Sql,
} from '../../../shared/db/connect.ts'
import { findSessionProblems, RecoveryError } from '../../../shared/db/session-check.ts'
import { inReadOnly, inTransaction } from '../../../shared/db/transaction.ts'
import { type RunningPostgres, startPostgres } from '../../devnet/embedded-postgres.ts'
import { startTestApi, type TestApi } from '../../support/api.ts'
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts'
import { type Standby, startStandby } from '../../support/standby.ts'
import { temporaryDirectory } from '../../support/temporary-directory.ts'

const WAIT_MS = 60_000

describe('a session that accepts no writes', function () {
  this.timeout(WAIT_MS)
  let database: TestDatabase
  let sql: Sql

  before(async () => {
    database = await createTestDatabase()
    await database.sql`create table notes (id int primary key)`
    sql = connect({ url: database.url.owner, applicationName: 'test', maxConnections: 1 })
  })

  after(async () => {
    await sql?.end({ timeout: 1 })
    await database?.drop()
  })

  for (const [where, write] of [
    ['a statement', () => sql`insert into notes values (1)`],
    ['a transaction', () => inTransaction(sql, (db) => db`insert into notes values (2)`)],
  ] as const)
    it(`is reported as an unavailable database for ${where}, and is not used again`, async () => {
      await sql`set session characteristics as transaction read only`
      const error = await Promise.resolve(write()).catch((thrown: unknown) => thrown)
      expect(isDatabaseUnavailable(error), String(error)).to.equal(true)
      expect(isRetryable(error)).to.equal(true)
      await write()
    })

  it('is closed after it has rejected a write', async () => {
    const readPid = async () => (await sql<[{ pid: number }]>`select pg_backend_pid() as pid`)[0].pid
    const before = await readPid()
    const error = await inReadOnly(sql, (db) => db`insert into notes values (3)`).catch(
      (thrown: unknown) => thrown,
    )
    expect(isDatabaseUnavailable(error), String(error)).to.equal(true)
    expect(await readPid()).to.not.equal(before)
  })

  it('is closed with SQLSTATE 25006 if the server reports it as read-only when it opens', async () => {
    await database.administer(`alter database ${database.name} set default_transaction_read_only = on`)
    const pool = connect({ url: database.url.owner, applicationName: 'test', maxConnections: 1 })
    try {
      const error = await pool`select 1`.catch((thrown: unknown) => thrown)
      expect(errorCode(error)).to.equal('25006')
      await database.administer(`alter database ${database.name} reset default_transaction_read_only`)
      expect(await pool`select 1 as one`).to.deep.equal([{ one: 1 }])
    } finally {
      await database.administer(`alter database ${database.name} reset default_transaction_read_only`)
      await pool.end({ timeout: 1 })
    }
  })
})

describe('the API on a database that accepts no writes', function () {
  this.timeout(WAIT_MS)
  let api: TestApi

  before(async () => {
    api = await startTestApi()
  })

  after(() => api?.stop())

  it('returns 503 with Retry-After, and continues when the database accepts writes again', async () => {
    const { key } = await api.issueKey()
    const set = (change: string) =>
      api.database.administer(`alter role test_api in database ${api.database.name} ${change}`)
    const list = () => fetch(`${api.baseUrl}/v1/charges`, { headers: { Authorization: `Bearer ${key}` } })
    expect((await list()).status).to.equal(200)
    await set('set default_transaction_read_only = on')
    await api.database.administer(
      `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${api.database.name}' and usename = 'test_api'`,
    )
    const refused = await list()
    expect(refused.status).to.equal(503)
    expect(refused.headers.get('retry-after')).to.equal('5')
    expect(await refused.json()).to.have.nested.property('error.code', 'service_unavailable')
    await set('reset default_transaction_read_only')
    expect((await list()).status).to.equal(200)
  })
})

describe('a standby at the configured address', function () {
  this.timeout(2 * WAIT_MS)
  let primary: RunningPostgres
  let standby: Standby

  before(async () => {
    const directory = await temporaryDirectory('standby')
    primary = await startPostgres({ dataDirectory: `${directory}/data`, port: 0, fsync: false })
    standby = await startStandby(primary)
  })

  after(async () => {
    await standby?.stop()
    await primary?.stop()
  })

  it('provides no session, not even for reads, until it is promoted', async () => {
    const sql = connect({ url: standby.server.url, applicationName: 'test', maxConnections: 2 })
    const error = await sql`select 1`.catch((thrown: unknown) => thrown)
    expect(errorCode(error)).to.equal('25006')
    const check = await findSessionProblems({ url: standby.server.url }).catch((thrown: unknown) => thrown)
    expect(check).to.be.instanceOf(RecoveryError)
    await standby.promote()
    expect(await sql`select 1 as one`).to.deep.equal([{ one: 1 }])
    expect(await findSessionProblems({ url: standby.server.url })).to.deep.equal([])
    await sql.end({ timeout: 1 })
  })
})
