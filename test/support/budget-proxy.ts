import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** Limits that a provider enforces, as buckets that refill evenly. */
export type EnforcedLimits = { readonly perSecond: number; readonly perHour?: number }

/** A node behind a provider that refuses requests above its limits. */
export type BudgetProxy = {
  /** The URL without a path; every path of the node is served. */
  readonly url: string
  /** Number of served requests by JSON-RPC method, or by path if the body names no method. */
  readonly served: ReadonlyMap<string, number>
  /** Returns the number of requests that were refused with 429. */
  readonly refused: () => number
  readonly stop: () => Promise<void>
}

/**
 * Starts a proxy that enforces limits like a provider: a bucket of `perSecond` requests, which refills in a second, and
 * a bucket that holds `hourShare` of an hour's requests, starts full, and refills at the full hourly rate.
 */
export async function startBudgetProxy(
  targetUrl: string,
  { limits, hourShare = 1 }: { readonly limits: EnforcedLimits; readonly hourShare?: number },
): Promise<BudgetProxy> {
  const second = createBucket(limits.perSecond, limits.perSecond / 1_000)
  const hour =
    limits.perHour === undefined ? null : createBucket(limits.perHour * hourShare, limits.perHour / 3_600_000)
  const served = new Map<string, number>()
  let refused = 0
  const server = createServer((request, response) => {
    const pass = async () => {
      const body = await text(request)
      const path = request.url ?? '/'
      if (![second, hour].every((bucket) => bucket === null || bucket.take())) {
        refused += 1
        return response.writeHead(429, { 'Retry-After': '1' }).end('slow down')
      }
      const name = nameOf(path, body)
      served.set(name, (served.get(name) ?? 0) + 1)
      const headers = { 'content-type': 'application/json' }
      const answer = await fetch(`${targetUrl}${path}`, { method: 'POST', headers, body })
      return response.writeHead(answer.status, headers).end(await answer.text())
    }
    pass().catch(() => response.writeHead(502).end())
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    served,
    refused: () => refused,
    stop: () =>
      new Promise((done) => {
        server.close(() => done())
        server.closeAllConnections()
      }),
  }
}

function nameOf(path: string, body: string): string {
  const { method } = JSON.parse(body === '' ? '{}' : body) as { readonly method?: string }
  return method ?? path
}

function createBucket(capacity: number, perMs: number) {
  let tokens = capacity
  let filledAtMs = performance.now()
  return {
    take: (): boolean => {
      const nowMs = performance.now()
      tokens = Math.min(capacity, tokens + (nowMs - filledAtMs) * perMs)
      filledAtMs = nowMs
      if (tokens < 1) return false
      tokens -= 1
      return true
    },
  }
}
