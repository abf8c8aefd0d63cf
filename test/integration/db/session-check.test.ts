import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { connect } from '../../../shared/db/connect.ts'
import { findSessionProblems } from '../../../shared/db/session-check.ts'
import { claimPort } from '../../devnet/claim-port.ts'
import { compiled } from '../../devnet/compiled.ts'
import { findPostgresLocation } from '../../devnet/postgres-location.ts'
import { waitFor } from '../../devnet/wait-for.ts'
import { createDatabaseLink } from '../../support/database-link.ts'
import { describeIfInstalled } from '../../support/describe-if-installed.ts'
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts'
import { temporaryDirectory } from '../../support/temporary-directory.ts'
import { startTransactionPooler, type TransactionPooler } from '../../support/transaction-pooler.ts'

const WAIT_MS = 60_000
const SHARED = 'two connections share sessions of the server: connect directly to PostgreSQL'
const OWNER_LOCK_TIMEOUT = { idleSessionTimeoutMs: 15_000 }

describe('the check of two sessions', function () {
  this.timeout(4 * WAIT_MS)
  let database: TestDatabase
  let pooler: TransactionPooler
  let child: ChildProcess | null = null

  before(async () => {
    database = await createTestDatabase()
    pooler = await startTransactionPooler()
  })

  afterEach(async () => {
    if (child !== null && child.exitCode === null) {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    }
    child = null
  })

  after(async () => {
    await pooler?.stop()
    await database?.drop()
  })

  for (const role of ['api', 'daemon', 'operator', 'owner'] as const)
    it(`accepts PostgreSQL for the role ${role}, and leaves no session open`, async () => {
      expect(await findSessionProblems({ url: database.url[role], ...OWNER_LOCK_TIMEOUT })).to.deep.equal([])
      const isClosed = async () => {
        const rows = await database.sql`select from pg_stat_activity where application_name = 'session check'`
        return rows.length === 0
      }
      await waitFor(isClosed, { what: 'the sessions to be closed', timeoutMs: WAIT_MS })
    })

  it('rejects a pooler in transaction mode', async () => {
    const problems = await findSessionProblems({ url: pooler.through(database.url.daemon) })
    expect(problems.join('\n')).to.include(SHARED)
  })

  it('rejects a database whose advisory locks do nothing', async () => {
    await createShim('pg_try_advisory_lock(int4, int4) returns boolean', 'true')
    expect((await problemsWithShim()).join('\n')).to.include(
      'two sessions got the same advisory lock: a daemon',
    )
  })

  it('rejects a database that grants no advisory lock', async () => {
    await createShim('pg_try_advisory_lock(int4, int4) returns boolean', 'false')
    expect((await problemsWithShim()).join('\n')).to.include('a free advisory lock was not granted')
  })

  it('rejects a database whose notifications do not arrive', async () => {
    await createShim('pg_notify(text, text) returns text', "''::text")
    expect((await problemsWithShim()).join('\n')).to.include('a listening session received no notification')
  })

  it('names each setting that the session does not have as requested, with the remedy', async () => {
    const url = `${database.url.daemon}?TimeZone=Europe/Berlin&statement_timeout=0`
    expect(await findSessionProblems({ url, ...OWNER_LOCK_TIMEOUT })).to.deep.equal([
      "statement_timeout is 0 instead of 30s: a pooler or the URL overrides it; alter role … set statement_timeout = '30s'",
      "TimeZone is Europe/Berlin instead of UTC: a pooler or the URL overrides it; alter role … set TimeZone = 'UTC'",
    ])
  })

  it('finds our tables before tables in a schema with the user’s name', async () => {
    await database.administer(`grant create on database ${database.name} to test_daemon`)
    const sql = connect({ url: database.url.daemon, applicationName: 'test', maxConnections: 1 })
    await sql`create schema test_daemon`
    await sql`create table test_daemon.charges (id text)`
    const [row] = await sql`select 'charges'::regclass::oid = 'public.charges'::regclass::oid as is_ours`
    await sql`drop schema test_daemon cascade`
    await sql.end()
    expect(row?.['isOurs']).to.equal(true)
  })

  for (const name of ['api', 'indexer'] as const)
    it(`prevents the ${name} from starting behind a pooler in transaction mode, and names the required change`, async () => {
      const { log, exitCode } = await run(name, (url) => pooler.through(url))
      expect(await exitCode()).to.equal(1)
      expect(log()).to.include(SHARED)
    })

  it('is repeated when the daemon reconnects, and ends the daemon if it is then behind a pooler', async () => {
    const link = await createDatabaseLink()
    const { log, exitCode } = await run('indexer', (url) => link.through(url))
    await waitFor(() => log().includes('"Started"'), { what: 'the daemon to start', timeoutMs: WAIT_MS })
    link.through(pooler.through(database.url.daemon))
    await link.cut('reset')
    await link.mend()
    // The exit code is 1, or 75 if parts of the daemon that hang behind the pooler do not stop in time.
    expect(await exitCode()).to.not.equal(0)
    expect(log()).to.include(SHARED)
    await link.cut()
  })

  /** Creates a function in a schema that the session searches before pg_catalog. */
  async function createShim(signature: string, result: string): Promise<void> {
    await database.sql`drop schema if exists shim cascade`
    await database.sql`create schema shim`
    await database.sql.unsafe(
      `create function shim.${signature} language sql as 'select ${result.replaceAll("'", "''")}'`,
    )
    await database.sql`grant usage on schema shim to test_daemon`
    await database.sql`grant execute on all functions in schema shim to test_daemon`
  }

  function problemsWithShim(): Promise<readonly string[]> {
    return findSessionProblems({ url: `${database.url.daemon}?search_path=shim,pg_catalog,public` })
  }

  async function run(name: 'api' | 'indexer', through: (url: string) => string) {
    const started = spawn(process.execPath, [await compiled(`${name}/main.ts`)], {
      env: {
        ...{ PATH: process.env['PATH'], TREASURY_ADDRESS: `0x${'77'.repeat(20)}`, DEPLOYMENTS: 'bnb:live' },
        ...{ API_PORT: '0', API_INTERNAL_PORT: '0', INDEXER_INTERNAL_PORT: '0' },
        API_DATABASE_URL: through(database.url.api),
        PONDER_DATABASE_URL: through(database.url.ponder),
        INDEXER_DATABASE_URL: through(database.url.daemon),
        CURSOR_SECRET: 'a secret of thirty-two characters',
        // Off, because the pooler gives all processes sessions of one user, whose setting the check would read.
        SYNCHRONOUS_COMMIT_CHECK: 'off',
      },
    })
    child = started
    let text = ''
    for (const output of [started.stdout, started.stderr]) output.on('data', (part) => (text += String(part)))
    const exitCode = async () => {
      await waitFor(() => started.exitCode !== null, { what: 'the process to exit', timeoutMs: WAIT_MS })
      return started.exitCode
    }
    return { log: () => text, exitCode }
  }
})

/** Start-up parameters that PgBouncer must be configured to drop, as in `docs/availability.md`. */
const IGNORED =
  'statement_timeout, idle_in_transaction_session_timeout, idle_session_timeout, search_path, tcp_keepalives_idle, tcp_keepalives_interval, tcp_keepalives_count, tcp_user_timeout'

describeIfInstalled('pgbouncer')('the check of two sessions through PgBouncer', function () {
  this.timeout(WAIT_MS)
  let database: TestDatabase
  let bouncer: ChildProcess | null = null

  before(async () => {
    database = await createTestDatabase()
  })

  afterEach(async () => {
    if (bouncer !== null && bouncer.exitCode === null) {
      const ended = once(bouncer, 'exit')
      bouncer.kill('SIGKILL')
      await ended
    }
    for (const name of ['statement_timeout', 'idle_in_transaction_session_timeout', 'search_path'])
      await database.administer(`alter role test_api in database ${database.name} reset ${name}`)
  })

  after(() => database?.drop())

  it('rejects transaction mode', async () => {
    const through = await startPgBouncer('transaction', IGNORED)
    const problems = await findSessionProblems({ url: through(database.url.daemon) })
    expect(problems.join('\n')).to.include(SHARED)
  })

  it('names the required change if PgBouncer rejects our start-up parameters', async () => {
    const through = await startPgBouncer('session', '')
    const problems = await findSessionProblems({ url: through(database.url.api) })
    expect(problems.join('\n')).to.match(/rejects our start-up parameters .* connect directly to PostgreSQL/)
  })

  it('accepts session mode for the API once its role has the settings that PgBouncer drops', async () => {
    const through = await startPgBouncer('session', IGNORED)
    const dropped = (await findSessionProblems({ url: through(database.url.api) })).join('\n')
    for (const name of ['statement_timeout', 'idle_in_transaction_session_timeout', 'search_path'])
      expect(dropped).to.include(`${name} is`)
    const alter = `alter role test_api in database ${database.name} set`
    await database.administer(`${alter} statement_timeout = '30s'`)
    await database.administer(`${alter} idle_in_transaction_session_timeout = '15s'`)
    await database.administer(`${alter} search_path = public, pg_temp`)
    const renewed = await startPgBouncer('session', IGNORED)
    expect(await findSessionProblems({ url: renewed(database.url.api) })).to.deep.equal([])
  })

  it('rejects session mode for the daemon, whose lock requires a timeout that PgBouncer drops', async () => {
    const through = await startPgBouncer('session', IGNORED)
    const problems = await findSessionProblems({ url: through(database.url.daemon), ...OWNER_LOCK_TIMEOUT })
    expect(problems.join('\n')).to.include('idle_session_timeout is 0 instead of 15s')
  })

  /**
   * Starts PgBouncer in front of the test's server. Returns a function that converts a URL of the server into a URL of
   * PgBouncer.
   */
  async function startPgBouncer(mode: string, ignored: string): Promise<(url: string) => string> {
    if (bouncer !== null) bouncer.kill('SIGKILL')
    const directory = await temporaryDirectory('pgbouncer')
    const port = await claimPort()
    const file = join(directory, 'pgbouncer.ini')
    const server = new URL(database.url.api).port
    const users = join(directory, 'users.txt')
    writeFileSync(
      users,
      Object.values(database.url)
        .map((url) => `"${new URL(url).username}" ""\n`)
        .join(''),
    )
    writeFileSync(
      file,
      `[databases]\n* = host=127.0.0.1 port=${server}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${port}\n` +
        `unix_socket_dir =\nauth_type = trust\nauth_file = ${users}\npool_mode = ${mode}\nignore_startup_parameters = ${ignored}\n`,
    )
    chmodSync(file, 0o644)
    const { user } = findPostgresLocation(join(directory, 'unused'))
    const started = spawn('pgbouncer', [file], { ...user, stdio: 'ignore' })
    bouncer = started
    const through = (text: string) => {
      const url = new URL(text)
      url.port = String(port)
      return url.href
    }
    await waitFor(() => isListening(through(database.url.api)), { what: 'PgBouncer', timeoutMs: WAIT_MS })
    return through
  }
})

async function isListening(url: string): Promise<boolean> {
  const { port } = new URL(url)
  const { connect: connectTcp } = await import('node:net')
  return new Promise((resolve) => {
    const socket = connectTcp(Number(port), '127.0.0.1')
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}
