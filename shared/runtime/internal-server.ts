import { createServer, type Server, type ServerResponse } from 'node:http'
import { listen } from './listen.ts'
import type { Metrics } from './metrics.ts'
import { withTimeLimit } from './time-limit.ts'

/** Resolves if a part of the process can do its work; otherwise rejects with the reason. */
export type ReadyCheck = () => Promise<void>

/** The source of `/metrics`: a registry, alone or combined with other sources. */
type MetricsText = Pick<Metrics, 'metrics' | 'contentType'>

type Options = {
  readonly host: string
  /** 0 selects any free port. */
  readonly port: number
  readonly metrics: MetricsText
  /** Checks by name. The process is ready if all of them pass. */
  readonly checks: Readonly<Record<string, ReadyCheck>>
  /** Renders the HTML page at `/`, given the reasons of the failing checks. */
  readonly renderPage?: (failedChecks: Readonly<Record<string, string>>) => Promise<string>
}

export type InternalServer = ReturnType<typeof createInternalServer>

/** Timeout of a check, below the default timeout of probes in orchestrators, which is at least 1 s. */
const CHECK_TIMEOUT_MS = 900

/**
 * Creates the server of `/livez`, `/readyz`, `/metrics` and, with `renderPage`, the status page at `/`. Public proxies
 * must not forward its port.
 *
 * `/livez` does not depend on the checks, because the orchestrator must not restart the process for a failing database.
 * `/readyz` returns 200, or 503 with the reason of each check that fails or takes longer than 900 ms.
 */
export function createInternalServer(options: Options) {
  const server = createServer((request, response) => {
    const path = request.url?.split('?')[0]
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return send(response, 405, { error: 'GET only' })
    if (path === '/livez') return send(response, 200, { status: 'live' })
    if (path === '/readyz') return void sendReadiness(response, options.checks)
    if (path === '/metrics') return void sendMetrics(response, options.metrics)
    if (path === '/' && options.renderPage) return void sendPage(response, options.renderPage, options.checks)
    return send(response, 404, {
      error: `one of ${options.renderPage ? '/, ' : ''}/livez, /readyz, /metrics`,
    })
  })
  return {
    /** Starts listening and returns the port. */
    start: () => listen(server, options),
    stop: () => close(server),
  }
}

async function sendReadiness(response: ServerResponse, checks: Options['checks']): Promise<void> {
  const outcomes = await runChecks(checks)
  const isReady = outcomes.every(([, outcome]) => outcome === OK)
  send(response, isReady ? 200 : 503, {
    status: isReady ? 'ready' : 'not ready',
    checks: Object.fromEntries(outcomes),
  })
}

async function sendPage(
  response: ServerResponse,
  renderPage: NonNullable<Options['renderPage']>,
  checks: Options['checks'],
): Promise<void> {
  try {
    const outcomes = await runChecks(checks)
    const page = await renderPage(Object.fromEntries(outcomes.filter(([, outcome]) => outcome !== OK)))
    response.writeHead(200, PAGE_HEADERS).end(page)
  } catch (error) {
    send(response, 500, { error: error instanceof Error ? error.message : String(error) })
  }
}

/** The page shows text from third parties. It is escaped, and in addition the policy prevents its execution. */
const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
}

const OK = 'ok'

function runChecks(checks: Options['checks']): Promise<readonly (readonly [string, string])[]> {
  return Promise.all(
    Object.entries(checks).map(async ([name, check]) => [name, await runCheck(check)] as const),
  )
}

async function runCheck(check: ReadyCheck): Promise<string> {
  const late = `took longer than ${CHECK_TIMEOUT_MS} ms`
  try {
    return await withTimeLimit(
      check().then(() => OK),
      { ms: CHECK_TIMEOUT_MS, late },
    )
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

async function sendMetrics(response: ServerResponse, metrics: MetricsText): Promise<void> {
  try {
    const text = await metrics.metrics()
    response.writeHead(200, { 'content-type': metrics.contentType }).end(text)
  } catch (error) {
    send(response, 500, { error: error instanceof Error ? error.message : String(error) })
  }
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(`${JSON.stringify(body)}\n`)
}

async function close(server: Server): Promise<void> {
  if (!server.listening) return
  const closed = new Promise((resolve) => server.close(resolve))
  server.closeAllConnections()
  await closed
}
