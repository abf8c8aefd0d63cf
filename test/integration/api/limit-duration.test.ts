import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import Koa from 'koa'
import { errorResponse } from '../../../api/http/middleware/error-response.ts'
import { limitDuration, requireUnanswered } from '../../../api/http/middleware/limit-duration.ts'
import { waitFor } from '../../devnet/wait-for.ts'
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts'

const WAIT_MS = 60_000
/** Maximum duration of a request: longer than a busy machine takes to start a response. */
const MAX_MS = 1_000
const log = { error: () => undefined }

describe('a request that takes too long', function () {
  this.timeout(4 * WAIT_MS)
  let database: TestDatabase
  let stop: () => Promise<void> = async () => undefined

  before(async () => {
    database = await createTestDatabase()
    await database.sql`create table notes (id int primary key)`
  })

  afterEach(async () => {
    await setStandby(null)
    await stop()
  })

  after(() => database?.drop())

  it('gets a 503 if no standby confirms its commit, and the commit is not canceled', async () => {
    const url = await serve(async (ctx) => {
      await database.sql`insert into notes values (1)`
      ctx.status = 201
    })
    await setStandby('nobody')
    const response = await fetch(url, { method: 'POST' })
    expect(response.status).to.equal(503)
    expect(response.headers.get('retry-after')).to.equal('5')
    expect(await response.json()).to.have.nested.property('error.code', 'service_unavailable')
    // The database might start the statement only after the response.
    const isWaiting = async () => (await listWaitingCommits()).join() === 'insert into notes values (1)'
    await waitFor(isWaiting, { what: 'the commit to wait', timeoutMs: WAIT_MS })
    await setStandby(null)
    const isCommitted = async () => (await database.sql`select from notes`).length === 1
    await waitFor(isCommitted, { what: 'the commit to complete', timeoutMs: WAIT_MS })
  })

  it('does not reach its handler after its response was sent', async () => {
    let [release, hasRun, isOver] = [() => {}, false, false]
    const checks = new Promise<void>((resolve) => {
      release = resolve
    })
    const url = await serve(async (ctx) => {
      try {
        await checks
        requireUnanswered(ctx)
        hasRun = true
      } finally {
        isOver = true
      }
    })
    expect((await fetch(url)).status).to.equal(503)
    release()
    await waitFor(() => isOver, { what: 'the checks to end', timeoutMs: WAIT_MS })
    expect(hasRun).to.equal(false)
  })

  it('is not cut off if its response has started', async () => {
    const url = await serve(async (ctx) => {
      ctx.respond = false
      ctx.res.writeHead(200)
      ctx.res.write('first')
      await new Promise((resolve) => setTimeout(resolve, 2 * MAX_MS))
      ctx.res.end(' last')
    })
    const response = await fetch(url)
    expect(await response.text()).to.equal('first last')
  })

  async function serve(handle: (ctx: Koa.Context) => Promise<void>): Promise<string> {
    const app = new Koa()
    app.use(errorResponse(log))
    app.use(limitDuration({ log, maxMs: MAX_MS }))
    app.use(handle)
    const server = app.listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    stop = () => new Promise((resolve) => server.close(() => resolve()))
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  }

  /** Makes each commit of the server wait for this standby, or for none if `name` is `null`. */
  async function setStandby(name: string | null): Promise<void> {
    await database.administer(
      name === null
        ? 'alter system reset synchronous_standby_names'
        : `alter system set synchronous_standby_names = '${name}'`,
    )
    await database.administer('select pg_reload_conf()')
    const isSet = async () => {
      const [row] = await database.sql`select current_setting('synchronous_standby_names') as names`
      return row?.['names'] === (name ?? '')
    }
    await waitFor(isSet, { what: 'the setting', timeoutMs: WAIT_MS })
    // The checkpointer decides whether commits wait. It reads the new setting before it makes a checkpoint.
    await database.administer('checkpoint')
  }

  async function listWaitingCommits(): Promise<readonly string[]> {
    const rows = await database.sql<{ query: string }[]>`
      select query from pg_stat_activity where wait_event = 'SyncRep' and datname = ${database.name}`
    return rows.map(({ query }) => query)
  }
})
