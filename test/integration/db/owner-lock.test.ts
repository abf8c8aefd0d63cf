import { expect } from 'chai'
import {
  createOwnerLock,
  LockSessionTimeoutError,
  type OwnerLock,
} from '../../../shared/db/chain-facts/daemon/owner-lock.ts'
import { incrementOwnerEpoch } from '../../../shared/db/chain-facts/daemon/ponder-maintenance.ts'
import { installTriggers } from '../../../shared/db/chain-facts/daemon/ponder-tables.ts'
import { connect, errorCode, type Sql } from '../../../shared/db/connect.ts'
import { waitFor } from '../../devnet/wait-for.ts'
import { createDatabaseLink, type DatabaseLink } from '../../support/database-link.ts'
import { connectForTest, createTestDatabase, type TestDatabase } from '../../support/postgres.ts'
import { insertBase } from '../../support/rows.ts'

const CHAIN_ID = 8453
/** Maximum time without recorded payments after an owner falls silent. */
const TAKEN_OVER_WITHIN_MS = 30_000

describe('the lock of a deployment’s owner', function () {
  this.timeout(240_000)
  let database: TestDatabase
  let link: DatabaseLink
  const locks: OwnerLock[] = []

  beforeEach(async () => {
    database = await createTestDatabase()
    link = await createDatabaseLink()
  })

  afterEach(async () => {
    await Promise.all(locks.splice(0).map((lock) => lock.release()))
    await link.cut()
    await database.drop()
  })

  function lockOver(databaseUrl: string, onLost: () => void = () => undefined): OwnerLock {
    const lock = createOwnerLock({ databaseUrl, chainId: CHAIN_ID, onLost })
    locks.push(lock)
    return lock
  }

  for (const silent of ['everything', 'requests', 'responses'] as const) {
    it(`goes to another process within 30 s after the owner’s network drops ${silent}, and the owner gives up first`, async () => {
      let lostAtMs = Number.POSITIVE_INFINITY
      const first = lockOver(link.through(database.url.daemon), () => {
        lostAtMs = performance.now()
      })
      const second = lockOver(database.url.daemon)
      expect([await first.hold(), await second.hold()]).to.deep.equal(['taken', 'refused'])

      link.silence(silent)
      const silentAtMs = performance.now()
      await waitFor(async () => (await second.hold()) === 'taken', {
        what: 'the lock to be released',
        timeoutMs: TAKEN_OVER_WITHIN_MS,
      })
      expect(lostAtMs).to.be.below(performance.now())
      expect(performance.now() - silentAtMs).to.be.below(TAKEN_OVER_WITHIN_MS)
      const failure = await first.hold().catch((error: unknown) => error)
      expect(failure).to.be.an('error')
    })
  }

  it('is held for longer than its session’s idle timeout without another call to `hold`', async () => {
    const first = lockOver(database.url.daemon)
    await first.hold()
    // A sleeping and waking network makes these calls: `relax` stops the polls of the session, and `hold` resumes them.
    first.relax()
    await first.hold()
    const end = performance.now() + 20_000
    const second = lockOver(database.url.daemon)
    await waitFor(
      async () => {
        expect(await second.hold()).to.equal('refused')
        return performance.now() > end
      },
      { what: 'twenty seconds to pass', timeoutMs: 60_000, intervalMs: 500 },
    )
    expect(await first.hold()).to.equal('held')
  })

  it('reports within 10 s that the database does not respond', async () => {
    const lock = lockOver(link.through(database.url.daemon))
    await lock.hold()
    link.silence('responses')
    const askedAtMs = performance.now()
    const failure = await lock.hold().catch((error: unknown) => error)
    expect(failure).to.be.instanceOf(LockSessionTimeoutError)
    expect(performance.now() - askedAtMs).to.be.below(10_000)
  })

  it('opens sessions that detect a dead peer within a minute', async () => {
    const sql = connectForTest(database.url.daemon)
    const [settings] = await sql`
      select current_setting('tcp_keepalives_idle')::int + current_setting('tcp_keepalives_interval')::int
        * current_setting('tcp_keepalives_count')::int as seconds, current_setting('tcp_user_timeout') as unsent`
    await sql.end()
    expect(settings?.['seconds']).to.be.within(1, 60)
    expect(settings?.['unsent']).to.not.equal('0')
  })

  it('rejects writes from a previous owner’s Ponder', async () => {
    const { sql } = database
    const schema = 'ponder_fenced'
    await insertBase(sql)
    await sql`insert into feeds (ponder_schema, chain_id, start_block, emitters) values (${schema}, ${CHAIN_ID}, 0, '{}')`
    const daemon = connectForTest(database.url.daemon)
    await daemon.unsafe(`create schema ${schema}`)
    for (const table of ['_ponder_checkpoint', 'transfer', 'split_event']) {
      await daemon.unsafe(
        `create table ${schema}.${table} (latest_checkpoint text, finalized_checkpoint text, value int)`,
      )
    }
    await installTriggers(daemon, schema)
    await installTriggers(daemon, schema)
    const epochs = [await incrementOwnerEpoch(daemon, CHAIN_ID), await incrementOwnerEpoch(daemon, CHAIN_ID)]
    for (const table of ['_ponder_checkpoint', 'transfer', 'split_event']) {
      const write = (epoch: number | null) =>
        codeOf(ponderOf(epoch), `update ${schema}.${table} set value = 1`)
      expect(await write(epochs[0] ?? 0), table).to.equal('55000')
      expect(await write(null), table).to.equal('55000')
      expect(await write(epochs[1] ?? 0), table).to.equal('done')
    }
    await daemon.end()
  })

  /** Opens a session with the settings of a Ponder that was started in this epoch. */
  function ponderOf(epoch: number | null): Sql {
    const url = new URL(database.url.daemon)
    if (epoch !== null) url.searchParams.set('options', `-c svc.owner_epoch=${epoch}`)
    return connect({ url: url.href, applicationName: 'ponder', maxConnections: 1 })
  }
})

async function codeOf(sql: Sql, statement: string): Promise<string> {
  try {
    await sql.unsafe(statement)
    return 'done'
  } catch (error) {
    return errorCode(error) ?? String(error)
  } finally {
    await sql.end()
  }
}
