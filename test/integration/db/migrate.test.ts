import { expect } from 'chai'
import { connect } from '../../../shared/db/connect.ts'
import {
  listPendingMigrations,
  type Migration,
  MigrationError,
  migrate,
  readMigrations,
} from '../../../shared/db/migrate.ts'
import { waitFor } from '../../devnet/wait-for.ts'
import { connectForTest, createTestDatabase, type TestDatabase } from '../../support/postgres.ts'

describe('migrate', () => {
  let database: TestDatabase

  beforeEach(async () => {
    database = await createTestDatabase({ isMigrated: false })
  })

  afterEach(() => database.drop())

  it('applies every file to an empty database in order, and nothing on a second run', async () => {
    const files = readMigrations().map(({ id }) => id)
    expect(await listPendingMigrations(database.sql)).to.deep.equal(files)
    expect(await migrate(database.sql)).to.deep.equal(files)
    expect(await migrate(database.sql)).to.deep.equal([])
    expect(await listPendingMigrations(database.sql)).to.deep.equal([])
    expect(files[0]).to.equal('000001_roles')
  })

  it('applies each file only once in two simultaneous runs', async () => {
    const outcomes = await Promise.all([migrate(database.sql, [ONE, TWO]), migrate(database.sql, [ONE, TWO])])
    expect(outcomes.flat()).to.deep.equal(['000001_one', '000002_two'])
  })

  it('waits for a simultaneous run longer than the statement timeout', async () => {
    const other = await database.sql.reserve()
    await other`select pg_advisory_lock(${0x6d696772})`
    const impatient = connect({ url: database.url.owner, applicationName: 'impatient', maxConnections: 1 })
    await impatient`set statement_timeout = 50`
    const applied = migrate(impatient, [ONE])
    const waited = () => database.sql`
      select from pg_stat_activity
      where application_name = 'impatient' and wait_event = 'advisory' and now() - query_start > interval '100 ms'`
    await waitFor(async () => (await waited()).length > 0, {
      what: 'the second run to wait',
      timeoutMs: 60_000,
    })
    await other`select pg_advisory_unlock_all()`
    other.release()
    expect(await applied).to.deep.equal(['000001_one'])
    await impatient.end()
  })

  it('rejects a file that has changed since it was applied', async () => {
    await migrate(database.sql, [ONE])
    const failure = await failureOf(migrate(database.sql, [{ ...ONE, checksum: 'f'.repeat(64) }, TWO]))
    expect(failure).to.be.instanceOf(MigrationError)
    expect(failure.message).to.equal(
      'migration 000001_one has changed since it was applied (111111111111, now ffffffffffff): ' +
        'restore the file and write the change as a new migration',
    )
    expect(await tables()).to.deep.equal(['one', 'schema_migrations'])
  })

  it('does not run if an applied file is missing', async () => {
    await migrate(database.sql, [ONE, TWO])
    const failure = await failureOf(migrate(database.sql, [ONE]))
    expect(failure.message).to.include('000002_two is applied but its file is missing')
  })

  it('reports a missing file before a changed file, and names the remedy for a database from before 2026-11-24', async () => {
    await migrate(database.sql, [ONE, TWO])
    const failure = await failureOf(migrate(database.sql, [{ ...ONE, checksum: 'f'.repeat(64) }]))
    expect(failure).to.be.instanceOf(MigrationError)
    expect(failure.message).to.equal(
      'migration 000002_two is applied but its file is missing: deploy a build that has it (this one is older); ' +
        'a database from before 2026-11-24 must be recreated (docs/upgrades.md)',
    )
  })

  it('rejects a new file that sorts before an applied file', async () => {
    await migrate(database.sql, [TWO])
    const failure = await failureOf(migrate(database.sql, [ONE, TWO]))
    expect(failure.message).to.include('000001_one is new but sorts before 000002_two')
  })

  it('rolls back a failing file, keeps the files before it, and continues once the file is fixed', async () => {
    const broken = { ...TWO, text: 'create table two (id int); select 1 / 0' }
    const failure = await failureOf(migrate(database.sql, [ONE, broken]))
    expect(failure.message).to.equal('migration 000002_two was rolled back: division by zero')
    expect(await tables()).to.deep.equal(['one', 'schema_migrations'])
    expect(await migrate(database.sql, [ONE, TWO])).to.deep.equal(['000002_two'])
  })

  it('names the file during which the connection was lost, and continues with a new connection', async () => {
    const broken = {
      ...TWO,
      text: 'create table two (id int); select pg_terminate_backend(pg_backend_pid())',
    }
    const sql = connectForTest(database.url.owner)
    const failure = await failureOf(migrate(sql, [ONE, broken]))
    expect(failure.message).to.match(
      /^migration 000002_two stopped halfway and may be run again: .*CONNECTION_CLOSED/,
    )
    expect(await migrate(sql, [ONE, TWO])).to.deep.equal(['000002_two'])
    await sql.end({ timeout: 1 })
  })

  it('runs a marked file outside a transaction', async () => {
    const text = '-- no-transaction\ncreate index concurrently one_by_id on one (id)'
    const concurrent = { ...TWO, text, isTransactional: false }
    expect(await migrate(database.sql, [ONE, concurrent])).to.deep.equal(['000001_one', '000002_two'])
  })

  it('does not block readers while it waits for a table lock, and applies the file once it gets the lock', async () => {
    await migrate(database.sql, [ONE])
    const other = await database.sql.reserve()
    await other`begin`
    await other`lock table one in access share mode`
    const altered = { ...TWO, text: 'alter table one add column more int' }
    const impatient = connect({ url: database.url.owner, applicationName: 'impatient', maxConnections: 1 })
    const patience = { lockTimeoutMs: 50, attempts: 1_000, restMs: 50 }
    const applied = migrate(impatient, [ONE, altered], patience)
    const gaveUp = () => database.sql`
      select from pg_stat_activity where application_name = 'impatient' and state = 'idle' and query = 'rollback'`
    await waitFor(async () => (await gaveUp()).length > 0, {
      what: 'the lock request to end',
      timeoutMs: 60_000,
      intervalMs: 5,
    })
    // Without the lock timeout, this reader would wait behind the migration until the other session releases its lock.
    await database.sql`select from one`
    await other`commit`
    other.release()
    expect(await applied).to.deep.equal(['000002_two'])
    await impatient.end()
  })

  it('reports the lock timeout, the number of attempts and pg_locks if it gets no lock', async () => {
    await migrate(database.sql, [ONE])
    const other = await database.sql.reserve()
    await other`begin`
    await other`lock table one in access share mode`
    const altered = { ...TWO, text: 'alter table one add column more int' }
    const impatient = connectForTest(database.url.owner)
    const patience = { lockTimeoutMs: 20, attempts: 3, restMs: 1 }
    const failure = await failureOf(migrate(impatient, [ONE, altered], patience))
    await impatient.end()
    await other`rollback`
    other.release()
    expect(failure.message).to.equal(
      'migration 000002_two was rolled back: canceling statement due to lock timeout; the migration was tried 3 times: see pg_locks',
    )
  })

  it('leaves its connection without locks and with the original timeout', async () => {
    await migrate(database.sql, [ONE])
    const rows = await database.sql`select current_setting('statement_timeout') as timeout,
      (select count(*) from pg_locks where locktype = 'advisory') as locks`
    expect(rows).to.deep.equal([{ timeout: '30s', locks: 0 }])
  })

  async function tables(): Promise<readonly string[]> {
    const rows = await database.sql<{ tablename: string }[]>`
      select tablename from pg_tables where schemaname = 'public' order by tablename`
    return rows.map(({ tablename }) => tablename)
  }
})

const ONE = migrationOf('000001_one', { text: 'create table one (id int)', digit: '1' })
const TWO = migrationOf('000002_two', { text: 'create table two (id int)', digit: '2' })

function migrationOf(id: string, { text, digit }: { text: string; digit: string }): Migration {
  return { id, text, checksum: digit.repeat(64), isTransactional: true }
}

async function failureOf(work: Promise<unknown>): Promise<Error> {
  const outcome = await work.then(
    () => new Error('nothing failed'),
    (error: unknown) => error,
  )
  return outcome instanceof Error ? outcome : new Error(String(outcome))
}
