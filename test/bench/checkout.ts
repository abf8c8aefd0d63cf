import { execFileSync } from 'node:child_process'
import { resolve } from 'node:path'
import { startBrowser } from '../support/browser.ts'
import { type FirstLoad, measureFirstLoad } from '../support/first-load.ts'
import { PHONE } from '../support/phone.ts'
import { createTestDatabase } from '../support/postgres.ts'
import { environment, prepareApi, startNode, startServer } from './api.ts'
import { type BenchOptions, resize } from './bench.ts'
import { type Measurement, median } from './compare.ts'

const BUNDLE = resolve(import.meta.dirname, '../../.ci/bundle-checkout.mjs')

/** Round-trip latency and bandwidth of the simulated connection, and the slowdown of the processor. */
const SLOW = { latencyMs: 400, bytesPerSecond: 50_000, cpuFactor: 4 }

const LOADS = 5

/**
 * Measures the first load of a charge's page on an emulated phone with a slow connection and processor. Targets for the
 * medians of five loads: a first contentful paint within 1,000 ms, and a layout shift of at most 0.02.
 */
export async function benchCheckout(options: BenchOptions): Promise<readonly Measurement[]> {
  execFileSync(process.execPath, [BUNDLE])
  const [database, node, browser] = await Promise.all([createTestDatabase(), startNode(), startBrowser()])
  const key = await prepareApi(database.sql)
  const env = { ...environment(database.url.api), NETWORKS_CONFIG: node.networksFile }
  const { url, process: server } = await startServer('api', {
    ...{ ...env, CHECKOUT_BASE_URL: 'https://pay.example/pay', RATE_LIMIT_CHECKOUT_PER_MINUTE: '10000' },
  })
  try {
    const page = `${url}/pay/${await createCharge(url, key)}`
    const loads: FirstLoad[] = []
    for (let load = 0; load < resize(LOADS, options); load += 1) {
      const context = await browser.newContext(PHONE)
      loads.push(await measureFirstLoad(await context.newPage(), page, SLOW))
      await context.close()
    }
    const figure = (name: string, unit: string, of: (load: FirstLoad) => number) => ({
      ...{ name: `checkout, first load: ${name}`, unit, value: Number(median(loads.map(of)).toFixed(3)) },
    })
    return [
      figure('first contentful paint, aim 1000', 'ms', ({ firstPaintMs }) => firstPaintMs),
      figure('cumulative layout shift, aim 0.02', '', ({ layoutShift }) => layoutShift),
      figure('uncompressed bodies', 'bytes', ({ bytes }) => bytes),
    ]
  } finally {
    server.kill()
    await Promise.all([browser.close(), node.stop(), database.drop()])
  }
}

async function createCharge(url: string, key: string): Promise<string> {
  const acceptedPayments = [
    { token: 'USDC', network: 'base' },
    { token: 'USDT', network: 'bnb' },
  ]
  const response = await fetch(`${url}/v1/charges`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ amount: 10, acceptedPayments, expiresIn: 3600 }),
  })
  const body = (await response.json()) as { readonly id?: string }
  if (body.id === undefined) throw new Error(`no charge: ${response.status} ${JSON.stringify(body)}`)
  return body.id
}
