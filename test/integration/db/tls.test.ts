import { execFile, execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { connect, errorCode, isDatabaseUnavailable, type Sql } from '../../../shared/db/connect.ts'
import { inReadOnly } from '../../../shared/db/transaction.ts'
import { type RunningPostgres, startPostgres } from '../../devnet/embedded-postgres.ts'
import { waitFor } from '../../devnet/wait-for.ts'
import { createDatabaseLink, type DatabaseLink } from '../../support/database-link.ts'
import { temporaryDirectory } from '../../support/temporary-directory.ts'

const WAIT_MS = 60_000
const CONNECTIONS = 4
const ROUNDS = 3

describe('a database connection with TLS', function () {
  this.timeout(4 * WAIT_MS)
  let server: RunningPostgres
  let link: DatabaseLink
  const pools: Sql[] = []

  before(async () => {
    const directory = await temporaryDirectory('tls')
    server = await startPostgres({ dataDirectory: join(directory, 'data'), port: 0, fsync: false })
    link = await createDatabaseLink()
    const plain = open('')
    const refused = await open('?sslmode=require')`select 1`.catch((error: unknown) => error)
    expect(String(refused)).to.include('the server did not accept TLS, which the URL requires')
    createCertificate(server.dataDirectory)
    await plain`alter system set ssl = on`
    await plain`select pg_reload_conf()`
    await waitFor(async () => (await plain`show ssl`)[0]?.['ssl'] === 'on', {
      ...{ what: 'TLS', timeoutMs: WAIT_MS },
    })
    await plain`create table notes (id int)`
  })

  after(async () => {
    for (const pool of pools) await pool.end({ timeout: 0 })
    await link?.cut().catch(() => undefined)
    await server?.stop()
  })

  it('is encrypted, and transfers large values in both directions', async () => {
    const text = 'x'.repeat(3_000_000)
    const [row] = await open('?sslmode=require')`
      select ssl as is_encrypted, ${text}::text as text from pg_stat_ssl where pid = pg_backend_pid()`
    expect(row).to.deep.equal({ isEncrypted: true, text })
  })

  it('is rejected if the URL requires a verified certificate and the server’s is self-signed', async () => {
    for (const mode of ['verify-full', 'verify-ca']) {
      const error = await open(`?sslmode=${mode}`)`select 1`.catch((thrown: unknown) => thrown)
      expect(errorCode(error), mode).to.equal('DEPTH_ZERO_SELF_SIGNED_CERT')
    }
  })

  it('is accepted with a trusted certificate only if the certificate names the host', async () => {
    const port = new URL(server.url).port
    const outcomes = await Promise.all(
      ['127.0.0.1', 'localhost'].map((host) =>
        askTrusting(
          `${server.dataDirectory}/server.crt`,
          `postgres://postgres@${host}:${port}/postgres?sslmode=verify-full`,
        ),
      ),
    )
    expect(outcomes).to.deep.equal(['1', 'ERR_TLS_CERT_ALTNAME_INVALID'])
  })

  it('is closed after the database has rejected a write as read-only', async () => {
    const sql = open('?sslmode=require', 1)
    const readPid = async () => (await sql<[{ pid: number }]>`select pg_backend_pid() as pid`)[0].pid
    const before = await readPid()
    const error = await inReadOnly(sql, (db) => db`insert into notes values (1)`).catch(
      (thrown: unknown) => thrown,
    )
    expect(isDatabaseUnavailable(error), String(error)).to.equal(true)
    expect(await readPid()).to.not.equal(before)
  })

  it('completes queries that are retried immediately after a reset', async () => {
    const sql = open('?sslmode=require', CONNECTIONS, link.through(server.url))
    const answered = Array<number>(3 * CONNECTIONS).fill(0)
    const failures = new Set<string | null>()
    const over = new AbortController()
    const askers = answered.map(async (_, asker) => {
      while (!over.signal.aborted) {
        const rows = await sql`select ${asker}::int as asker`.catch((error: unknown) => {
          failures.add(errorCode(error))
          return null
        })
        if (rows?.length === 1) answered[asker] = (answered[asker] ?? 0) + 1
      }
    })
    try {
      for (let round = 0; round < ROUNDS; round += 1) {
        const before = [...answered]
        await waitFor(() => answered.every((count, asker) => count > (before[asker] ?? 0) + 10), {
          ...{ what: 'every retry to complete', timeoutMs: WAIT_MS },
        })
        await link.cut('reset')
        await link.mend()
      }
    } finally {
      over.abort()
    }
    await Promise.all(askers)
    expect([...failures]).to.not.include('CONNECT_TIMEOUT')
  })

  function open(query: string, maxConnections = 1, url = server.url): Sql {
    const pool = connect({ url: `${url}${query}`, applicationName: 'tls', maxConnections })
    pools.push(pool)
    return pool
  }
})

/** Queries a server in a process that trusts this certificate. Returns the result, or the error's code. */
async function askTrusting(certificate: string, url: string): Promise<string> {
  const script = `import { connect } from '${join(import.meta.dirname, '../../../shared/db/connect.ts')}'
    const sql = connect({ url: '${url}', applicationName: 'tls', maxConnections: 1 })
    console.log(await sql\`select 1 as one\`.then(([row]) => row.one, (error) => error.code))
    await sql.end({ timeout: 0 })`
  const args = ['--import', 'tsx', '--input-type=module', '--eval', script]
  const env = { PATH: process.env['PATH'], NODE_EXTRA_CA_CERTS: certificate }
  const { stdout } = await promisify(execFile)(process.execPath, args, { env })
  return stdout.trim()
}

/** Creates a self-signed certificate in a data directory. PostgreSQL requires that its own user owns the key. */
function createCertificate(directory: string): void {
  const [key, certificate] = [join(directory, 'server.key'), join(directory, 'server.crt')]
  const args = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=payments', '-days', '2']
  args.push('-addext', 'subjectAltName=IP:127.0.0.1')
  execFileSync('openssl', [...args, '-keyout', key, '-out', certificate], { stdio: 'ignore' })
  for (const path of [key, certificate])
    execFileSync('chown', [`--reference=${join(directory, 'PG_VERSION')}`, path])
  execFileSync('chmod', ['600', key])
}
