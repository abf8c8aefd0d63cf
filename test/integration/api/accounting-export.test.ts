import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { get, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import Koa from 'koa'
import { createExports } from '../../../api/accounting/exports.ts'
import { parseExport } from '../../../api/accounting/parse-export.ts'
import { errorResponse } from '../../../api/http/middleware/error-response.ts'
import { createReaders } from '../../../api/http/response-buffers.ts'
import { createMetrics } from '../../../shared/runtime/metrics.ts'
import { waitFor } from '../../devnet/wait-for.ts'
import { startTestApi, type TestApi } from '../../support/api.ts'
import { call, expectError } from '../../support/call-route.ts'
import { buildPaidOut, insertEntryRows } from '../../support/entry-rows.ts'
import { getRequest, isGone, openRawClient } from '../../support/raw-client.ts'

const NOVEMBER = 'from=2026-11-01&to=2026-12-01'

describe('GET /v1/accounting/entries', function () {
  this.timeout(240_000)

  let api: TestApi
  let key: string

  before(async () => {
    api = await startTestApi()
    ;({ key } = await api.issueKey({ scopes: ['metrics:read'] }))
    await insertEntryRows(api.owner, { organizationId: 'org_one', externalRef: '=1+1' }, buildPaidOut('a'))
    await insertEntryRows(api.owner, { organizationId: 'org_one' }, buildPaidOut('b', '2026-11-30'))
  })
  after(() => api?.stop())

  const isExport = () =>
    `application_name = 'api exports' and datname = '${new URL(api.config.databaseUrl).pathname.slice(1)}'`
  const fetchExport = (query: string, withKey = key) =>
    call(api, `GET /v1/accounting/entries?${query}`, { key: withKey })
  const listIds = async (query: string, withKey = key) =>
    readColumn((await fetchExport(`columns=entry_id,leg&${query}`, withKey)).text)

  it('streams one row per leg in the order of block time, and the amounts of each entry sum to zero', async () => {
    const {
      status,
      headers,
      text: body,
    } = await fetchExport(`${NOVEMBER}&columns=entry_id,leg,date,account,amount,commodity,external_ref`)
    expect(status, api.errors.join()).to.equal(200)
    expect(headers.get('content-type')).to.equal('text/csv; charset=utf-8; header=present')
    expect(headers.get('content-disposition')).to.include('accounting-v1-live-2026-11-01-2026-12-01.csv')
    const [head, ...rows] = body.split('\r\n')
    expect(head).to.equal('entry_id,leg,date,account,amount,commodity,external_ref')
    expect(rows.slice(0, 8)).to.deep.equal([
      "sa_a,1,2026-11-02,Liabilities:Charges,10.000000,USDC,'=1+1",
      "sa_a,2,2026-11-02,Income:Sales,-10.000000,USDC,'=1+1",
      "tr_a,1,2026-11-02,Assets:Clearing,10.500000,USDC,'=1+1",
      "tr_a,2,2026-11-02,Liabilities:Charges,-10.500000,USDC,'=1+1",
      "di_a,1,2026-11-02,Assets:Clearing,-10.500000,USDC,'=1+1",
      "di_a,2,2026-11-02,Expenses:Fees:Incentive,0.010500,USDC,'=1+1",
      "di_a,3,2026-11-02,Assets:Wallet:USDC,10.395001,USDC,'=1+1",
      "di_a,4,2026-11-02,Expenses:Fees:Service,0.094499,USDC,'=1+1",
    ])
    expect(rows).to.have.length(17)
  })

  it('returns the same bytes twice, and sends the number of entries and the digest as trailers', async () => {
    for (const format of ['csv', 'json', 'hledger', 'beancount']) {
      const [first, second] = [
        await read(`${NOVEMBER}&format=${format}`),
        await read(`${NOVEMBER}&format=${format}`),
      ]
      expect(second).to.deep.equal(first)
      expect(first.entries).to.equal('6')
      expect(first.digest).to.equal(`sha-256=:${createHash('sha256').update(first.body).digest('base64')}:`)
    }
  })

  it('returns exactly the entries that follow the entry in `after`', async () => {
    for (const format of ['csv', 'json', 'hledger', 'beancount']) {
      const whole = (await read(`${NOVEMBER}&format=${format}`)).body
      const { body: rest } = await read(`${NOVEMBER}&format=${format}&after=di_a`)
      expect(rest).to.have.length.above(0)
      expect(whole.endsWith(rest), format).to.equal(true)
      expect(whole.slice(0, -rest.length)).to.include('di_a').and.not.include('tr_b')
    }
    expect((await read(`${NOVEMBER}&after=di_b`)).body).to.equal('')
  })

  it('includes `from` and excludes `to`, and a date begins at midnight in the given time zone', async () => {
    expect(await listIds('from=2026-11-02T10:00:00Z&to=2026-11-02T10:01:00Z')).to.deep.equal(['sa_a', 'tr_a'])
    const { key: zoneKey } = await api.issueKey({ organization: 'org_zone', scopes: ['metrics:read'] })
    const [payment] = buildPaidOut('z')
    if (payment === undefined) throw new Error('no entry')
    await insertEntryRows(api.owner, { organizationId: 'org_zone' }, [
      { ...payment, postedAt: '2026-10-31T23:30:00Z' },
    ])
    expect(await listIds(NOVEMBER, zoneKey)).to.deep.equal([])
    expect(await listIds(`${NOVEMBER}&timezone=Europe/Berlin`, zoneKey)).to.deep.equal(['tr_z'])
    const { text: body } = await fetchExport(`${NOVEMBER}&timezone=Europe/Berlin&columns=date,time`, zoneKey)
    expect(body).to.include('2026-11-01,2026-11-01T00:30:00+01:00')
  })

  it('selects the entries that were recorded since or until a time', async () => {
    const { key: lateKey } = await api.issueKey({ organization: 'org_late', scopes: ['metrics:read'] })
    const [payment, sale] = buildPaidOut('late')
    if (payment === undefined || sale === undefined) throw new Error('no entries')
    await insertEntryRows(api.owner, { organizationId: 'org_late' }, [
      payment,
      { ...sale, recordedAt: '2026-01-20T00:00:00Z' },
    ])
    expect(await listIds(`${NOVEMBER}&recordedSince=2026-01-19`, lateKey)).to.deep.equal(['sa_late'])
    expect(await listIds(`${NOVEMBER}&recordedUntil=2026-01-19`, lateKey)).to.deep.equal(['tr_late'])
  })

  it('continues an export without entries that were recorded after the export began', async () => {
    const { key: viewKey } = await api.issueKey({ organization: 'org_view', scopes: ['metrics:read'] })
    const owner = { organizationId: 'org_view' }
    await insertEntryRows(api.owner, owner, buildPaidOut('early', '2026-11-05'))
    const whole = await fetchExport(NOVEMBER, viewKey)
    const until = whole.headers.get('accounting-recorded-until') ?? ''
    const now = new Date().toISOString()
    for (const day of ['2026-11-04', '2026-11-06'])
      await insertEntryRows(
        api.owner,
        owner,
        buildPaidOut(`found_${day.slice(-1)}`, day).map((entry) => ({ ...entry, recordedAt: now })),
      )
    const rest = await fetchExport(`${NOVEMBER}&after=sa_early&recordedUntil=${until}`, viewKey)
    expect(rest.text).to.have.length.above(0)
    expect(whole.text.endsWith(rest.text), 'the rest of the same export').to.equal(true)
    expect(rest.headers.get('accounting-recorded-until')).to.equal(until)
    const next = await listIds(`${NOVEMBER}&recordedSince=${until}`, viewKey)
    expect(next, 'exactly the entries that were recorded later').to.have.length(6)
    expect(next.join()).to.not.include('early')
  })

  it('returns an Accounting-Recorded-Until before the start of any transaction that may still record entries', async () => {
    const { key: busyKey } = await api.issueKey({ organization: 'org_busy', scopes: ['metrics:read'] })
    const [entry] = buildPaidOut('busy')
    if (entry === undefined) throw new Error('no entry')
    const startedAt = new Date()
    await api.owner.begin(async (sql) => {
      const [{ id } = { id: '' }] = await sql<{ id: string }[]>`
        select charge_id as id from accounting_entries where organization_id = 'org_one' limit 1`
      await sql`
        insert into accounting_entries (entry_id, organization_id, environment, charge_id, category, network, token,
          chain_id, token_address, decimals, legs, posted_at, counted_at)
        select 'tr_busy', 'org_busy', environment, charge_id, 'payment', network, token, chain_id, token_address, decimals,
          legs, posted_at, counted_at from accounting_entries where charge_id = ${id} limit 1`
      const { headers, text: body } = await fetchExport(NOVEMBER, busyKey)
      expect(body).to.not.include('tr_busy')
      expect(new Date(headers.get('accounting-recorded-until') ?? '')).to.be.below(startedAt)
      // A continuation up to this time would omit entries that are still being recorded with an earlier time.
      const continued = await fetchExport(`${NOVEMBER}&recordedUntil=${startedAt.toISOString()}`, busyKey)
      expect([continued.status, continued.headers.get('retry-after')]).to.deep.equal([429, '10'])
    })
    const { headers, text: body } = await fetchExport(NOVEMBER, busyKey)
    expect(body).to.include('tr_busy')
    expect(new Date(headers.get('accounting-recorded-until') ?? '')).to.be.above(startedAt)
  })

  it('rejects a continuation after an entry outside the range, and names the entry’s time and the limit', async () => {
    for (const [query, problem] of [
      [
        'from=2026-11-03&to=2026-12-01&after=tr_a',
        'posted at 2026-11-02T10:00:00.000Z, before from 2026-11-03T00',
      ],
      [
        'from=2026-11-01&to=2026-11-02&after=tr_a',
        'posted at 2026-11-02T10:00:00.000Z, at or after to 2026-11-02T00',
      ],
      [
        `${NOVEMBER}&after=tr_a&recordedSince=2026-02-01`,
        'recorded at 2026-01-01T00:00:00.000Z, before recordedSince',
      ],
      [
        `${NOVEMBER}&after=tr_a&recordedUntil=2025-12-01`,
        'at or after recordedUntil 2025-12-01T00:00:00.000Z',
      ],
    ] as const) {
      const answer = await fetchExport(query)
      expectError(answer, '422 entry_not_in_range', 'after')
      expect(answer.text).to.include(`tr_a was`).and.include(problem)
    }
  })

  it('contains only entries of the key’s organization and environment, and rejects any other entry in `after`', async () => {
    const { key: other } = await api.issueKey({ organization: 'org_two', scopes: ['metrics:read'] })
    const { key: test } = await api.issueKey({ environment: 'test', scopes: ['metrics:read'] })
    await insertEntryRows(api.owner, { organizationId: 'org_one', environment: 'test' }, buildPaidOut('test'))
    expect(await listIds(NOVEMBER, other)).to.deep.equal([])
    expect(new Set(await listIds(NOVEMBER, test))).to.deep.equal(new Set(['tr_test', 'sa_test', 'di_test']))
    expect(await listIds(NOVEMBER)).to.not.include('tr_test')
    for (const stranger of [other, test]) {
      expectError(await fetchExport(`${NOVEMBER}&after=tr_a`, stranger), '400 validation_error', 'after')
    }
  })

  it('requires the scope metrics:read', async () => {
    const { key: without } = await api.issueKey({ scopes: ['charges:read', 'metrics:charges:read'] })
    expectError(await fetchExport(NOVEMBER, without), '403 insufficient_scope')
    expectError(await call(api, `GET /v1/accounting/entries?${NOVEMBER}`), '401 missing_api_key')
  })

  const invalid: readonly (readonly [query: string, param: string])[] = [
    ['to=2026-12-01', 'from'],
    ['from=2026-11-01', 'to'],
    ['from=yesterday&to=2026-12-01', 'from'],
    ['from=2026-02-30&to=2026-12-01', 'from'],
    ['from=2026-12-01&to=2026-12-01', 'to'],
    ['from=2025-11-01&to=2026-12-01', 'to'],
    [`${NOVEMBER}&format=xlsx`, 'format'],
    [`${NOVEMBER}&timezone=Mars/Base`, 'timezone'],
    [`${NOVEMBER}&timezone=%2B01:00`, 'timezone'],
    [`${NOVEMBER}&columns=`, 'columns'],
    [`${NOVEMBER}&columns=leg,amount,leg`, 'columns'],
    [`${NOVEMBER}&columns=__proto__`, 'columns'],
    [`${NOVEMBER}&recordedSince=1`, 'recordedSince'],
    [`${NOVEMBER}&after=tr_none`, 'after'],
    [`${NOVEMBER}&after=%00`, 'after'],
    [`${NOVEMBER}&limit=5`, 'limit'],
  ]
  for (const [query, param] of invalid) {
    it(`rejects ${query}`, async () => {
      expectError(await fetchExport(query), '400 validation_error', param)
    })
  }

  it('accepts a range of 366 days, in a time zone whose clocks changed', async () => {
    expect((await fetchExport('from=2023-11-05&to=2024-11-05&timezone=America/New_York')).status).to.equal(
      200,
    )
  })

  it('returns 500 if the sum of an entry’s legs differs from zero by even one atomic unit', async () => {
    const { key: spoiltKey } = await api.issueKey({ organization: 'org_spoilt', scopes: ['metrics:read'] })
    await insertEntryRows(api.owner, { organizationId: 'org_spoilt' }, buildPaidOut('spoilt'))
    const spoil = (id: string, digit: string) =>
      api.owner.begin(async (sql) => {
        await sql`alter table accounting_entries drop constraint if exists accounting_entries_legs_check`
        await sql`update accounting_entries set legs = jsonb_set(legs, '{0,amount}', ${digit}::text::jsonb) where entry_id = ${id}`
      })
    await spoil('di_spoilt', '"-10500001"')
    for (const format of ['csv', 'json', 'hledger', 'beancount']) {
      expectError(await fetchExport(`${NOVEMBER}&format=${format}`, spoiltKey), '500 internal_error')
    }
    expect(api.errors.join('')).to.include('di_spoilt sum to -1 instead of 0')
  })

  it('rejects HTTP/1.0, over which a truncated file would look complete', async () => {
    const request = getRequest(`/v1/accounting/entries?${NOVEMBER}`, key).replace('HTTP/1.1', 'HTTP/1.0')
    const client = await openRawClient(api.baseUrl, request)
    await waitFor(() => isGone(client), { what: 'the connection to end', timeoutMs: 60_000 })
    expect(client.text()).to.include(' 400 ').and.include('requires HTTP/1.1')
  })

  describe('with 15,003 entries', () => {
    let large: string
    const servers: Server[] = []

    after(() => {
      for (const server of servers) {
        server.closeAllConnections()
        server.close()
      }
    })

    before(async () => {
      ;({ key: large } = await api.issueKey({ organization: 'org_large', scopes: ['metrics:read'] }))
      await insertEntryRows(api.owner, { organizationId: 'org_large' }, buildPaidOut('large', '2026-11-01'))
      await api.owner`
        insert into accounting_entries (entry_id, organization_id, environment, charge_id, category, network, token,
          chain_id, token_address, tx_hash, block_number, decimals, legs, posted_at, counted_at)
        select 'tr_' || n, organization_id, environment, charge_id, category, network, token, chain_id, token_address,
          tx_hash, n, decimals, legs, posted_at + n / 7 * interval '1 second', counted_at
        from accounting_entries, generate_series(1, 15000) as n where entry_id = 'tr_large'`
    })

    it('returns each entry once, even if several have the same time', async () => {
      const ids = await listIds(NOVEMBER, large)
      expect(ids).to.have.length(15_003)
      expect(new Set(ids)).to.have.property('size', 15_003)
    })

    it('waits for an idle client, ends when the client disconnects, and allows one export at a time per organization', async () => {
      const path = `/v1/accounting/entries?${NOVEMBER}`
      const slow = await openRawClient(api.baseUrl, getRequest(path, large), { isResting: true })
      await waitFor(async () => (await countRunning()) === 1, {
        what: 'an export to be in progress',
        timeoutMs: 60_000,
      })
      const another = await fetchExport(NOVEMBER, large)
      expectError(another, '429 rate_limited')
      expect(another.headers.get('retry-after')).to.equal('10')
      const { key: test } = await api.issueKey({
        ...{ organization: 'org_large', environment: 'test', scopes: ['metrics:read'] },
      })
      expectError(await fetchExport(NOVEMBER, test), '429 rate_limited')
      expect((await fetchExport(NOVEMBER)).status, 'another organization’s export').to.equal(200)
      expect([...api.errors, ...api.warnings].join(), 'no failure of the service').to.not.include(
        'rate_limited',
      )
      slow.socket.destroy()
      await waitFor(async () => (await countRunning()) === 0, {
        what: 'the export to end',
        timeoutMs: 60_000,
      })
      // The process learns that the transaction has ended later than this test.
      await waitFor(async () => (await fetchExport(NOVEMBER, large)).status === 200, {
        what: 'the next export to be accepted',
        timeoutMs: 60_000,
      })
    })

    it('ends the export and its transaction if the client reads nothing until the timeout', async () => {
      const impatient = await api.startAnother((config) => ({
        ...config,
        connections: { ...config.connections, unreadTimeoutMs: 1000 },
      }))
      const request = getRequest(`/v1/accounting/entries?${NOVEMBER}`, large)
      // While the table is locked, the export sends no bytes, so the timeout cannot end it before it is counted.
      const slow = await api.owner.begin(async (sql) => {
        await sql`lock table accounting_entries in access exclusive mode`
        const client = await openRawClient(impatient.baseUrl, request, { isResting: true })
        await waitFor(async () => (await countRunning()) === 1, {
          what: 'an export to be in progress',
          timeoutMs: 60_000,
        })
        return client
      })
      await waitFor(() => isGone(slow), { what: 'the connection to end', timeoutMs: 60_000 })
      await waitFor(async () => (await countRunning()) === 0, {
        what: 'the export to end',
        timeoutMs: 60_000,
      })
      await impatient.stop()
    })

    it('rejects an export while the process runs its maximum number of exports', async () => {
      const url = await serveExports({ maxRunning: 1, maxDurationMs: 60_000 })
      const slow = await openRawClient(url, getRequest('/org_large', ''), { isResting: true })
      await waitFor(async () => (await fetch(`${url}/org_one`)).status === 429, {
        ...{ what: 'a request to be rejected by the limit', timeoutMs: 60_000 },
      })
      slow.socket.destroy()
      await waitFor(async () => (await fetch(`${url}/org_one`)).status === 200, {
        ...{ what: 'an export to be accepted', timeoutMs: 60_000 },
      })
    })

    it('does not look complete if it exceeds the maximum duration', async () => {
      const url = await serveExports({ maxRunning: 1, maxDurationMs: 1 })
      const slow = await openRawClient(url, getRequest('/org_large', ''))
      await waitFor(() => isGone(slow), { what: 'the connection to end', timeoutMs: 60_000 })
      expect(slow.text()).to.include('200 OK').and.not.include('\r\n0\r\n')
    })

    it('does not look complete if the database fails', async () => {
      const path = `/v1/accounting/entries?${NOVEMBER}`
      const slow = await openRawClient(api.baseUrl, getRequest(path, large), { isResting: true })
      const isUnread = async () =>
        /^http_buffered_response_bytes\{.*\} [1-9]/m.test(await api.metrics.metrics())
      await waitFor(isUnread, { what: 'the first pages to be unread', timeoutMs: 60_000 })
      await api.database.administer(
        `select pg_terminate_backend(pid) from pg_stat_activity where ${isExport()}`,
      )
      slow.socket.resume()
      await waitFor(() => isGone(slow), { what: 'the connection to end', timeoutMs: 60_000 })
      expect(slow.text()).to.include('tr_1,').and.not.include('\r\n0\r\n')
    })

    /** Serves exports with the given limits. The path of a request is the organization's id. */
    async function serveExports(limits: { readonly maxRunning: number; readonly maxDurationMs: number }) {
      const readers = createReaders({ maxBytes: 1e9, metrics: createMetrics({ service: 'test' }) })
      const sendExport = createExports({ sql: api.owner, readers }, limits)
      const app = new Koa().use(errorResponse({ error: () => undefined })).use(async (ctx) => {
        ctx.state['key_id'] = 'key_one'
        const request = parseExport({ from: '2026-11-01', to: '2026-12-01' })
        await sendExport(ctx, { organizationId: ctx.path.slice(1), environment: 'live' }, request)
      })
      const server = app.listen(0, '127.0.0.1')
      servers.push(server)
      await once(server, 'listening')
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    }

    /** Counts the open transactions of exports, which only a superuser sees. */
    async function countRunning(): Promise<number> {
      const [found] = (await api.database.administer(
        `select count(*) from pg_stat_activity where ${isExport()} and xact_start is not null`,
      )) as { count: number }[]
      return Number(found?.count)
    }
  })

  /** Reads an export with its trailers, which `fetch` does not show. */
  async function read(query: string) {
    const url = `${api.baseUrl}/v1/accounting/entries?${query}`
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      get(url, { headers: { authorization: `Bearer ${key}` } }, resolve).on('error', reject)
    })
    const body = await text(response)
    const { 'accounting-entries': entries, 'repr-digest': digest } = response.trailers
    return { body, entries, digest }
  }
})

/** Returns the distinct values of a CSV's first column. */
function readColumn(csv: string): readonly string[] {
  const cells = csv.split('\r\n').slice(1, -1)
  return [...new Set(cells.map((row) => row.split(',')[0] ?? ''))]
}
