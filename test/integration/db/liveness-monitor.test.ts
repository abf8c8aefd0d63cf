import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect } from 'chai'
import { connect, isTimeout, type Sql } from '../../../shared/db/connect.ts'
import { ping } from '../../../shared/db/health.ts'
import { createLivenessMonitor } from '../../../shared/runtime/liveness-monitor.ts'
import { compiled } from '../../devnet/compiled.ts'
import { waitFor } from '../../devnet/wait-for.ts'
import { createDatabaseLink, type DatabaseLink } from '../../support/database-link.ts'
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts'

const EVERY_MS = 100
/** Number of checks without a response that count as silence. They take 5 s. */
const LOOKS = 50
const NOWHERE = 'postgres://nobody@127.0.0.1:1/nothing'

const isLong = process.env['TEST_LONG'] === '1' // oxlint-disable-line no-process-env -- the duration is a setting of the run

describe('the monitor for a silent database', function () {
  this.timeout(240_000)
  let database: TestDatabase
  let link: DatabaseLink
  let sql: Sql
  let asked: number
  let told: number
  let watch: ReturnType<typeof createLivenessMonitor>

  beforeEach(async () => {
    database = await createTestDatabase()
    link = await createDatabaseLink()
    sql = connect({ url: link.through(database.url.daemon), applicationName: 'test', maxConnections: 2 })
    asked = told = 0
    watch = createLivenessMonitor({
      ...{ name: 'silence', everyMs: EVERY_MS, looks: LOOKS, isSilence: isTimeout },
      ask: () => {
        asked += 1
        return ping(sql)
      },
      onSilent: () => (told += 1),
    })
    watch.start()
    await waitFor(() => asked >= 3, { what: 'three probes', timeoutMs: 60_000 })
  })

  afterEach(async () => {
    watch.stop()
    await sql.end({ timeout: 0 })
    await link.cut().catch(() => undefined) // The connection might be closed already.
    await database.drop()
  })

  it('reports a silence once, and sends at most two queries until the report', async () => {
    link.silence()
    const before = asked
    await waitFor(() => told > 0, { what: 'the report of a silent database', timeoutMs: 60_000 })
    expect(asked - before).to.be.at.most(2)
    expect(told).to.equal(1)
  })

  it('never reports a silence for a database that rejects connections', async () => {
    watch.stop()
    told = 0 // A busy database might have been silent before.
    const looks = 9
    const refused: unknown[] = []
    watch = createLivenessMonitor({
      ...{ name: 'silence', everyMs: EVERY_MS, looks, isSilence: isTimeout },
      ask: async () => {
        const nobody = connect({ url: NOWHERE, applicationName: 'test', maxConnections: 1 })
        await ping(nobody).finally(() => refused.push(nobody.end({ timeout: 0 })))
      },
      onSilent: () => (told += 1),
    })
    watch.start()
    await waitFor(() => refused.length >= 2 * looks, { what: 'the rejected probes', timeoutMs: 60_000 })
    expect(told).to.equal(0)
  })
})

/**
 * Time limit for the daemon's start, and for its exit, which takes 45 s of silence and at most 25 s to stop. The limit
 * is higher for a busy machine.
 */
const ENDS_WITHIN_MS = 150_000

// Runs only in the long suite, because the silence and the exit take more than a minute.
if (isLong)
  describe('a daemon with a silent database', function () {
    this.timeout(2 * ENDS_WITHIN_MS)
    let database: TestDatabase
    let link: DatabaseLink

    before(async () => {
      database = await createTestDatabase()
      link = await createDatabaseLink()
    })

    after(async () => {
      await link?.cut()
      await database?.drop()
    })

    it('exits with 75, so that it is restarted, and logs the reason', async () => {
      const daemon = spawn(process.execPath, [await compiled('indexer/main.ts')], {
        env: {
          PATH: process.env['PATH'],
          INDEXER_DATABASE_URL: link.through(database.url.daemon),
          PONDER_DATABASE_URL: link.through(database.url.ponder),
          TREASURY_ADDRESS: `0x${'77'.repeat(20)}`,
          INDEXER_INTERNAL_PORT: '0',
          DEPLOYMENTS: 'base:test',
        },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      let log = ''
      daemon.stdout.on('data', (text) => (log += String(text)))
      const ended = once(daemon, 'exit')
      try {
        await waitFor(() => log.includes('"Started"'), {
          what: 'the daemon to start',
          timeoutMs: ENDS_WITHIN_MS,
        })
        link.silence()
        await waitFor(() => daemon.exitCode !== null, {
          what: 'the daemon to exit',
          timeoutMs: ENDS_WITHIN_MS,
        })
        expect(daemon.exitCode).to.equal(75)
        expect(log).to.include('the database has not responded for 45 s')
      } finally {
        daemon.kill('SIGKILL')
        await ended
      }
    })
  })
