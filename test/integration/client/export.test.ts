import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect } from 'chai'
import { ApiError } from '../../../api/client/api-error.ts'
import { createApiClient } from '../../../api/client/client.ts'
import { exportEntries } from '../../../api/client/export-entries.ts'
import { startTestApi, type TestApi } from '../../support/api.ts'
import { buildPaidOut, insertEntryRows } from '../../support/entry-rows.ts'
import { runClient } from '../../support/run-client.ts'
import { temporaryDirectory } from '../../support/temporary-directory.ts'

const NOVEMBER = { from: '2026-11-01', to: '2026-12-01' }
const FORMATS = ['csv', 'json', 'hledger', 'beancount'] as const

/** How the proxy cuts a response: it forwards `passes` characters, and then ends or destroys the connection. */
type Fault = { readonly passes: number; readonly looksComplete: boolean }

describe('the client’s export', function () {
  this.timeout(240_000)

  let api: TestApi
  let key: string
  let proxy: Server
  let proxyUrl: string
  /** Faults of the next responses, in order. */
  const faults: Fault[] = []

  before(async () => {
    api = await startTestApi()
    ;({ key } = await api.issueKey({ scopes: ['metrics:read'] }))
    await insertEntryRows(api.owner, { organizationId: 'org_one', externalRef: 'a, "b"\r\nentry_id' }, [
      ...buildPaidOut('a'),
      ...buildPaidOut('b', '2026-11-03'),
    ])
    proxy = createServer((request, response) => {
      void pass(`${api.baseUrl}${request.url}`, response)
    })
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
    proxyUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  })
  after(async () => {
    proxy?.close()
    await api?.stop()
  })

  for (const format of FORMATS) {
    it(`returns the same bytes as one complete response in ${format}, no matter where connections are lost or cut`, async () => {
      const whole = await read(format)
      expect(whole).to.include('di_b')
      for (let at = 0; at < whole.length; at += Math.ceil(whole.length / 5)) {
        for (const looksComplete of [true, false]) {
          faults.splice(0, faults.length, { passes: at, looksComplete })
          const received = await collect(format)
          expect(received, `${at} of ${whole.length}, ${looksComplete}`).to.equal(whole)
        }
      }
    })
  }

  it('consists only of the header for a period without entries', async () => {
    const client = createApiClient({ apiUrl: api.baseUrl, apiKey: key })
    const parts = []
    for await (const { text } of exportEntries(client, {
      from: '2025-01-01',
      to: '2025-02-01',
      columns: 'entry_id',
    }))
      parts.push(text)
    expect(parts.join('')).to.equal('entry_id\r\n')
  })

  it('throws the error response to an invalid query without a retry', async () => {
    const client = createApiClient({ apiUrl: api.baseUrl, apiKey: key })
    const failure = await exportEntries(client, { ...NOVEMBER, timezone: 'Mars/Base' })
      .next()
      .catch((error: unknown) => error)
    expect(failure).to.be.instanceOf(ApiError).with.property('param', 'timezone')
  })

  it('is written to a file by svc, which continues the partial file of a killed run', async () => {
    const output = join(await temporaryDirectory('export'), 'november.csv')
    const whole = await read('csv')
    const recordedUntil = new Date().toISOString()
    await writeFile(`${output}.part`, whole.slice(0, whole.indexOf('di_a') + 10))
    await writeFile(`${output}.part.json`, JSON.stringify({ query: NOVEMBER, recordedUntil }))
    const late = await addLateEntries(recordedUntil)
    const { stdout, stderr, exitCode } = await runExport(output)
    expect(exitCode, stderr).to.equal(0)
    expect(stdout).to.match(/november\.csv: 6 entries, \d+ bytes, sha256 [0-9a-f]{64}\n/)
    expect(stdout).to.include(`recorded before ${recordedUntil}.`)
    expect(await readFile(output, 'utf8')).to.equal(whole)
    expect(existsSync(`${output}.part.json`)).to.equal(false)
    await late.remove()
    const again = await runExport(output)
    expect(again).to.include({ exitCode: 1 })
    expect(again.stderr).to.include('exists already')
  })

  it('is not continued by svc with a different query, or for a different organization', async () => {
    const output = join(await temporaryDirectory('export'), 'november.csv')
    const whole = await read('csv')
    await writeFile(`${output}.part`, whole.slice(0, whole.indexOf('di_a') + 10))
    const unknown = await runExport(output)
    expect(unknown.exitCode).to.equal(1)
    expect(unknown.stderr).to.include('november.csv.part belongs to an unknown export: delete it')
    for (const [name, value] of Object.entries({
      from: '2026-10-01',
      format: 'json',
      timezone: 'Europe/Berlin',
    })) {
      await writeFile(`${output}.part.json`, JSON.stringify({ query: { ...NOVEMBER, [name]: value } }))
      const { stderr, exitCode } = await runExport(output)
      expect(exitCode).to.equal(1)
      expect(stderr).to.include(`belongs to another export, with ${name} ${value} instead of`)
    }
    await writeFile(`${output}.part.json`, JSON.stringify({ query: NOVEMBER, recordedUntil: null }))
    const { key: other } = await api.issueKey({ organization: 'org_two', scopes: ['metrics:read'] })
    const stranger = await runExport(output, other)
    expect(stranger.exitCode).to.equal(1)
    expect(stranger.stderr).to.include('belongs to another organization or environment: delete it')
    expect(await readFile(`${output}.part`, 'utf8'), 'the part is kept').to.include('sa_a')
  })

  it('has no entries that were recorded after its start, even if the connection is cut and it is continued', async () => {
    const whole = await read('csv')
    faults.splice(0, faults.length, { passes: whole.indexOf('tr_b'), looksComplete: false })
    const client = createApiClient({ apiUrl: proxyUrl, apiKey: key })
    const texts = []
    const begun: string[] = []
    let late: { readonly remove: () => Promise<void> } | null = null
    const options = { onBegun: (until: string) => void begun.push(until) }
    for await (const { text } of exportEntries(client, NOVEMBER, options)) {
      texts.push(text)
      late ??= await addLateEntries(new Date().toISOString())
    }
    await late?.remove()
    expect(texts.join('')).to.equal(whole)
    expect(begun).to.have.length(1)
  })

  /**
   * Inserts entries that were recorded at `recordedAt`, dated before and after the test's entries. An export that
   * started earlier must not contain them.
   */
  async function addLateEntries(recordedAt: string) {
    for (const day of ['2026-11-01', '2026-11-04']) {
      const entries = buildPaidOut(`late_${day.slice(-1)}`, day).map((entry) => ({ ...entry, recordedAt }))
      await insertEntryRows(api.owner, { organizationId: 'org_one' }, entries)
    }
    const remove = async () => {
      await api.owner`delete from accounting_entries where entry_id like '%late%'`
    }
    return { remove }
  }

  function runExport(output: string, withKey = key) {
    const args = ['accounting', 'export', '--from', NOVEMBER.from, '--to', NOVEMBER.to, '--output', output]
    return runClient('svc', args, { SVC_API_URL: api.baseUrl, SVC_API_KEY: withKey })
  }

  async function read(format: string): Promise<string> {
    const query = new URLSearchParams({ ...NOVEMBER, format })
    const headers = { authorization: `Bearer ${key}` }
    return (await fetch(`${api.baseUrl}/v1/accounting/entries?${query.toString()}`, { headers })).text()
  }

  async function collect(format: (typeof FORMATS)[number]): Promise<string> {
    const client = createApiClient({ apiUrl: proxyUrl, apiKey: key })
    const texts = []
    for await (const { text } of exportEntries(client, { ...NOVEMBER, format })) texts.push(text)
    return texts.join('')
  }

  async function pass(url: string, response: ServerResponse): Promise<void> {
    const upstream = await fetch(url, { headers: { authorization: `Bearer ${key}` } })
    const body = await upstream.text()
    const fault = faults.shift()
    response.writeHead(upstream.status, {
      'content-type': upstream.headers.get('content-type') ?? '',
      'accounting-recorded-until': upstream.headers.get('accounting-recorded-until') ?? '',
    })
    response.write(fault === undefined ? body : body.slice(0, fault.passes), () => {
      if (fault === undefined || fault.looksComplete) response.end()
      else response.destroy()
    })
  }
})
