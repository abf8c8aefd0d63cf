import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { expect } from 'chai'
import PQueue from 'p-queue'
import type { Browser, Page } from 'playwright-core'
import { waitFor } from '../devnet/wait-for.ts'
import { startTestApi, type TestApi, TREASURY } from '../support/api.ts'
import { startBrowser } from '../support/browser.ts'
import { appendEvent } from '../support/daemon-rows.ts'
import { openPageStream, type PageStream } from '../support/page-stream.ts'

const inLongRun = process.env['TEST_LONG'] === '1' ? describe : () => undefined

const CHARGES = 500
const PAGES = 5
const MORE_CHARGES = 2000
/** Maximum time until an event has reached a stream (99th percentile) and until a page shows the event. */
const RIGHT_WITHIN_MS = 5000
/** Maximum memory of the API process at the end, and maximum growth since all streams were open. */
const MAX_RESIDENT_MB = 400
const MAX_GROWTH_MB = 120

const CHARGE = { amount: 10, acceptedPayments: [{ token: 'USDC', network: 'base' }], expiresIn: 3600 }

inLongRun('the streams of 500 charges in one API process, while 2,000 charges are created', function () {
  this.timeout(900_000)
  let api: TestApi
  let child: ChildProcess
  let browser: Browser
  let baseUrl: string
  let key: string

  before(async () => {
    api = await startTestApi()
    ;({ key } = await api.issueKey())
    child = spawn(process.execPath, ['dist/api/main.js'], {
      env: settingsOf(api),
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    ;[baseUrl, browser] = await Promise.all([urlOf(child), startBrowser()])
  })
  after(async () => {
    await browser?.close()
    child?.kill('SIGKILL')
    await once(child, 'exit')
    await api?.stop()
  })

  it('stay open, update the pages within seconds, and do not exceed the memory limit', async () => {
    const ids = await createCharges(CHARGES)
    const pages = await Promise.all(ids.slice(0, PAGES).map(openPage))
    // Starts before the updates, to measure when each page shows its event.
    const showing = Promise.all(pages.map(untilRestIsAsked))
    const streams = await inTurns(ids.slice(PAGES), 25, (id) => openPageStream(`${baseUrl}/pay`, id))
    const beforeMb = residentMbOf(child)

    const partialAtMs = new Map<string, number>()
    const making = createCharges(MORE_CHARGES)
    await inTurns(shuffled(ids), 4, async (id) => {
      await receivePart(id)
      partialAtMs.set(id, performance.now())
    })
    await making
    const shownAtMs = await showing
    await waitFor(() => streams.every(isTold), { what: 'the event on all streams', timeoutMs: 60_000 })
    const afterMb = residentMbOf(child)

    const since = (id = '', atMs = Number.NaN) => atMs - (partialAtMs.get(id) ?? Number.NaN)
    const shownAfter = shownAtMs.map((atMs, index) => Math.round(since(ids[index], atMs)))
    const latencies = streams
      .map((stream) => since(stream.chargeId, stream.last()?.atMs))
      .sort((one, other) => one - other)
    const at = (part: number) => Math.round(latencies[Math.floor(part * (latencies.length - 1))] ?? 0)
    console.log(
      `      ${streams.length} streams and ${pages.length} pages: ${streams.filter(({ isOpen }) => !isOpen()).length} lost; reached by the event after ${at(0.5)} ms (p50), ${at(0.99)} ms (p99), ${at(1)} ms at most; shown by the pages after ${shownAfter.join(', ')} ms; resident ${beforeMb} MB before, ${afterMb} MB after`,
    )
    expect(streams.filter(({ isOpen }) => !isOpen())).to.deep.equal([])
    expect(await notLive(pages)).to.equal(0)
    expect(at(0.99)).to.be.below(RIGHT_WITHIN_MS)
    for (const ms of shownAfter) expect(ms).to.be.below(RIGHT_WITHIN_MS)
    expect(afterMb).to.be.below(MAX_RESIDENT_MB)
    expect(afterMb - beforeMb).to.be.below(MAX_GROWTH_MB)
    streams.forEach((stream) => stream.close())
  })

  async function createCharges(count: number): Promise<readonly string[]> {
    const numbers = Array.from({ length: count }, (_, index) => index)
    return inTurns(numbers, 8, async () => {
      const response = await fetch(`${baseUrl}/v1/charges`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify(CHARGE),
      })
      expect(response.status).to.equal(201)
      return ((await response.json()) as { id: string }).id
    })
  }

  async function openPage(id: string): Promise<Page> {
    const page = await browser.newPage()
    page.setDefaultTimeout(60_000)
    const following = page.waitForResponse((response) => response.url().includes('/events'))
    await page.goto(`${baseUrl}/pay/${id}`)
    await following
    return page
  }

  /** Writes a partial credit, as the daemon does. */
  async function receivePart(id: string): Promise<void> {
    await api.owner`
      update charges set status = 'partially_paid', received_atto = 4e18, on_time_atto = 4e18 where id = ${id}`
    await appendEvent(api.owner, { type: 'charge.partially_paid', category: 'payments', chargeId: id })
  }
})

/** Waits until a page shows the partial payment, and returns that time by `performance.now()`. */
async function untilRestIsAsked(page: Page): Promise<number> {
  const heading = page.getByRole('heading', { level: 1, name: '6.00 USD left to pay' })
  await heading.waitFor({ timeout: 600_000 })
  return performance.now()
}

function isTold(stream: PageStream): boolean {
  return stream.last()?.status === 'partially_paid'
}

async function notLive(pages: readonly Page[]): Promise<number> {
  const counts = await Promise.all(pages.map((page) => page.locator('#lost').count()))
  return counts.reduce((sum, count) => sum + count, 0)
}

function settingsOf({ database }: TestApi): NodeJS.ProcessEnv {
  return {
    API_DATABASE_URL: database.url.api,
    ...{ API_PORT: '0', API_INTERNAL_PORT: '0', TREASURY_ADDRESS: TREASURY },
    CURSOR_SECRET: 'a secret of thirty-two characters',
    CHECKOUT_BASE_URL: 'https://pay.example/pay',
    ...{ RATE_LIMIT_PER_MINUTE: '100000', RATE_LIMIT_CHECKOUT_PER_MINUTE: '100000' },
    CHECKOUT_STREAMS_PER_ADDRESS: String(CHARGES),
    MAX_CONNECTIONS_PER_ADDRESS: String(2 * CHARGES),
  }
}

async function urlOf(child: ChildProcess): Promise<string> {
  const lines: string[] = []
  createInterface(child.stdout as NodeJS.ReadableStream).on('line', (line) => lines.push(line))
  const listening = await waitFor(() => lines.find((line) => line.includes('"msg":"Listening"')), {
    ...{ what: 'the port in the log', timeoutMs: 120_000 },
  })
  return `http://127.0.0.1:${(JSON.parse(listening) as { port: number }).port}`
}

/** @see proc(5), VmRSS in kB */
function residentMbOf({ pid }: ChildProcess): number {
  const match = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return Math.round(Number(match?.[1]) / 1024)
}

function inTurns<Item, Result>(
  items: readonly Item[],
  concurrency: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  return new PQueue({ concurrency }).addAll(items.map((item) => () => work(item)))
}

/** Returns the ids sorted by their last 8 characters, which are random, so that the order is unrelated to their age. */
function shuffled(ids: readonly string[]): readonly string[] {
  return ids.toSorted((one, other) => one.slice(-8).localeCompare(other.slice(-8)))
}
