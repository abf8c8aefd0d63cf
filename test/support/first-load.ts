import type { Page } from 'playwright-core'
import { waitFor } from '../devnet/wait-for.ts'

/** Measurements of the first load of a page. */
export type FirstLoad = {
  /** Uncompressed size of all response bodies. */
  readonly bytes: number
  readonly origins: ReadonlySet<string>
  /** Sum of all layout shifts, at least the cumulative layout shift (https://web.dev/articles/cls). */
  readonly layoutShift: number
  /** Each element that moved, preceded by the value of its layout shift. */
  readonly moved: readonly string[]
  /** Time of the first contentful paint after the navigation. */
  readonly firstPaintMs: number
}

/** A slower connection and processor for the browser to emulate. */
export type Slowness = {
  readonly latencyMs: number
  readonly bytesPerSecond: number
  readonly cpuFactor: number
}

/** Script that adds up the layout shifts reported by the browser, and lists the elements that moved. */
const WATCH_SHIFTS = `
  globalThis.shift = 0
  globalThis.moved = []
  new PerformanceObserver((list) => {
    for (const { value, sources } of list.getEntries()) {
      globalThis.shift += value
      for (const { node } of sources)
        globalThis.moved.push(value.toFixed(3) + ' ' + (node?.outerHTML ?? node?.textContent ?? '').slice(0, 80))
    }
  }).observe({ type: 'layout-shift', buffered: true })`

/** Time for wallets to announce themselves, and for the page to search for other wallets. */
const SETTLED_AFTER_MS = 1000

/**
 * Opens a checkout page in this tab, and measures until the page is painted and its script has run, but at least for
 * `SETTLED_AFTER_MS`.
 */
export async function measureFirstLoad(page: Page, url: string, slow?: Slowness): Promise<FirstLoad> {
  const devtools = await page.context().newCDPSession(page)
  const origins = new Set<string>()
  let bytes = 0
  devtools.on('Network.requestWillBeSent', ({ request }) => {
    if (!request.url.startsWith('data:')) origins.add(new URL(request.url).origin)
  })
  devtools.on('Network.dataReceived', ({ dataLength }) => {
    bytes += dataLength
  })
  await devtools.send('Network.enable')
  await devtools.send('Network.setCacheDisabled', { cacheDisabled: true })
  if (slow) await slowDown(devtools, slow)
  await page.addInitScript({ content: WATCH_SHIFTS })
  await page.goto(url)
  await page.locator('html.scripted').waitFor()
  const read = <Value>(expression: string) => page.evaluate<Value>(expression)
  const paints = "performance.getEntriesByName('first-contentful-paint')"
  const isSettled = () => read<boolean>(`performance.now() > ${SETTLED_AFTER_MS} && ${paints}.length > 0`)
  // Not `waitForFunction`, because the page's Content Security Policy forbids its `eval`.
  await waitFor(isSettled, { what: 'the page to settle', timeoutMs: 60_000 })
  return {
    ...{ bytes, origins, layoutShift: await read<number>('shift') },
    moved: await read<string[]>('moved'),
    firstPaintMs: await read<number>(`${paints}[0].startTime`),
  }
}

type Devtools = Awaited<ReturnType<ReturnType<Page['context']>['newCDPSession']>>

async function slowDown(
  devtools: Devtools,
  { latencyMs, bytesPerSecond, cpuFactor }: Slowness,
): Promise<void> {
  await devtools.send('Network.emulateNetworkConditions', {
    ...{ offline: false, latency: latencyMs },
    ...{ downloadThroughput: bytesPerSecond, uploadThroughput: bytesPerSecond },
  })
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: cpuFactor })
}
