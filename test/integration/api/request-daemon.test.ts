import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { DAEMON_TIMEOUT, requestDaemon } from '../../../api/http/request-daemon.ts'
import type { Sql } from '../../../shared/db/connect.ts'
import { listen } from '../../../shared/db/listen.ts'
import {
  type ClaimedRequest,
  claimChargeRequests,
  type RequestError,
  respondToRequest,
} from '../../../shared/db/requests/charge-requests.ts'
import { AppError } from '../../../shared/domain/errors.ts'
import { newId } from '../../../shared/domain/ids.ts'
import { waitFor } from '../../devnet/wait-for.ts'
import { interrupted } from '../../support/interrupted.ts'
import { connectForTest, createTestDatabase, type TestDatabase } from '../../support/postgres.ts'
import { chargeTerms, insertBase, insertOrganizationRow } from '../../support/rows.ts'

const CHARGE_ID = String(chargeTerms()['id'])
const DONE = { outcome: 'done', found: 3 }
const QUERY = { kind: 'check', limit: 10, leaseSeconds: 30 } as const

describe('a request from the API to the daemon', () => {
  let database: TestDatabase
  let api: Sql
  let daemon: Sql

  before(async () => {
    database = await createTestDatabase()
    api = connectForTest(database.url.api)
    daemon = connectForTest(database.url.daemon)
    await insertBase(database.sql)
    await insertOrganizationRow(database.sql, 'org_one')
    await database.sql`select create_charges(${database.sql.json([chargeTerms()] as never)})`
    await database.sql`update charges set environment = 'test'` // Only the test environment has the sandbox.
  })

  beforeEach(() => database.sql`delete from requests`)

  after(async () => {
    await Promise.all([api.end(), daemon.end()])
    await database.drop()
  })

  const ask = (kind: 'check' | 'sandbox_trigger' = 'check', patience = DAEMON_TIMEOUT) =>
    requestDaemon(api, request(kind), patience)
  const failureOf = (asked: Promise<unknown>): Promise<AppError> =>
    asked.then(
      () => expect.fail('expected a rejection'),
      (error: unknown) => (error instanceof AppError ? error : expect.fail(String(error))),
    )
  const taken = (query: Parameters<typeof claimChargeRequests>[1] = QUERY) =>
    waitFor(
      async () => {
        const requests = await claimChargeRequests(daemon, query)
        return requests.length > 0 && requests
      },
      { what: 'the request', timeoutMs: 60_000 },
    ) as Promise<readonly ClaimedRequest[]>

  it('is claimed with the API’s payload, and its response is returned', async () => {
    const asked = ask()
    const [found] = await taken()
    expect(found).to.deep.include({ chargeId: CHARGE_ID, payload: { note: 'look' } })
    await respondToRequest(daemon, found?.id ?? '', DONE)
    expect(await asked).to.deep.equal(DONE)
  })

  it('notifies the daemon with the kind of the request', async () => {
    const heard: string[] = []
    const onNotification = (payload: string) => heard.push(payload)
    const listening = await listen(daemon, 'svc_requests', { onNotification, onListening: () => undefined })
    const asked = ask('sandbox_trigger')
    await waitFor(() => heard.length > 0, { what: 'the notification', timeoutMs: 60_000 })
    expect(heard).to.deep.equal(['sandbox_trigger'])
    const [found] = await taken({ ...QUERY, kind: 'sandbox_trigger' })
    await respondToRequest(daemon, found?.id ?? '', DONE)
    await asked
    await listening.stop()
  })

  it('fails with the daemon’s rejection', async () => {
    const refused = failureOf(ask())
    const [found] = await taken()
    const refusal: RequestError = {
      outcome: 'refused',
      code: 'rpc_unavailable',
      message: 'no node responded',
    }
    await respondToRequest(daemon, found?.id ?? '', refusal)
    expect(await refused).to.include({ code: 'rpc_unavailable', message: 'no node responded' })
  })

  it('is the only open request of its kind and charge until it has a response', async () => {
    const first = ask()
    const [found] = await taken()
    expect(await failureOf(ask())).to.include({ code: 'request_in_progress' })
    const trigger = ask('sandbox_trigger', { waitMs: 0, isWithdrawn: false })
    expect(await trigger, 'another kind').to.equal(null)
    await respondToRequest(daemon, found?.id ?? '', DONE)
    await first
    expect(await ask('check', { waitMs: 0, isWithdrawn: false })).to.equal(null)
  })

  it('is canceled if no daemon claims it before the timeout', async () => {
    const failure = await failureOf(ask('check', { waitMs: 100, isWithdrawn: true }))
    expect(failure).to.include({ code: 'service_unavailable' })
    expect(await claimChargeRequests(daemon, QUERY)).to.deep.equal([])
  })

  it('is not canceled once the daemon has claimed it', async () => {
    const begun: ClaimedRequest[] = []
    const sql = interrupted(api, 'cancel_request', async () => begun.push(...(await taken())))
    expect(await requestDaemon(sql, request('check'), { waitMs: 100, isWithdrawn: true })).to.equal(null)
    const rows = await database.sql`select id from requests`
    expect(begun).to.have.length(1)
    expect(rows.map(({ id }) => id)).to.deep.equal(begun.map(({ id }) => id))
  })

  it('is claimed by one daemon, and again only after the lease of 30 s has expired', async () => {
    await ask('check', { waitMs: 0, isWithdrawn: false })
    const [first, second] = await Promise.all([
      claimChargeRequests(daemon, QUERY),
      claimChargeRequests(daemon, QUERY),
    ])
    expect(first.length + second.length).to.equal(1)
    await database.sql`update requests set consumed_at = now() - interval '31 seconds'`
    expect(await claimChargeRequests(daemon, QUERY)).to.have.length(1)
  })
})

function request(kind: 'check' | 'sandbox_trigger') {
  const id = newId('req', Date.now())
  const apiRequestId = randomUUID()
  return { id, kind, organizationId: 'org_one', chargeId: CHARGE_ID, apiRequestId, payload: { note: 'look' } }
}
