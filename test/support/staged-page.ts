import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { BrowserContext, Page, Request, Route } from 'playwright-core'
import { pageHeaders } from '../../api/checkout/page-headers.ts'
import type { Checkout } from '../../api/checkout/project.ts'
import { type ErrorCode, HTTP_STATUS } from '../../shared/domain/errors.ts'
import { buildPageSchema } from './checkout.ts'
import { temporaryDirectory } from './temporary-directory.ts'

/**
 * The page of a charge as a browser gets it, with its script, and a service whose responses the test sets.
 */
export type StagedPage = {
  /** Where it is. */
  readonly url: (query?: string) => string
  /** From now on the service shows this. */
  readonly show: (checkout: Checkout) => void
  /** The next page has the current content, but is sent only when this is called. */
  readonly hold: () => () => void
  /** The service stops or resumes responding. */
  readonly cut: (isCut: boolean) => void
  /** Response to `quote`. */
  readonly offer: (quote: object) => void
  /** Response to `GET authorization`: the data to sign, or the error code. */
  readonly ask: (asked: readonly object[] | ErrorCode) => void
  /** Response to a submitted signature. */
  readonly carryOut: (answer: Outcome | ErrorCode | Failure) => void
  /** Bodies of the page's check requests. */
  readonly checks: readonly unknown[]
  /** Bodies of the signatures that the page has brought. */
  readonly signatures: readonly unknown[]
}

/** A response; without a service code a `status` may come from an intermediary. */
export type Outcome = { readonly status: number; readonly json?: object; readonly body?: string }

/** No response. */
export type Failure = 'a broken line' | 'silence'

const REPOSITORY = resolve(import.meta.dirname, '../..')
const SCRIPT = 'assets/checkout.js'

/** Bundles the script as `npm run build` does. */
export async function bundleScript(): Promise<string> {
  const directory = await temporaryDirectory('script')
  execFileSync(process.execPath, [join(REPOSITORY, '.ci/bundle-checkout.mjs'), directory])
  return readFileSync(join(directory, 'api/checkout/browser/bundle.js'), 'utf8')
}

type Stage = {
  readonly script: string
  readonly first: Checkout
  /** The service's clock. */
  readonly now?: () => Date
  readonly origin?: string
  /** Origins that may embed the page. */
  readonly frameOrigins?: readonly string[]
}

/** Stages it in this page, or in all pages of the context. */
export async function stagePage(
  page: Page | BrowserContext,
  { script, first, now = () => new Date(), origin = 'http://page.test', frameOrigins = [] }: Stage,
): Promise<StagedPage> {
  let checkout = first
  let isCut = false
  let quote: object | null = null
  let asked: readonly object[] | ErrorCode = 'signature_payment_unavailable'
  let outcome: Outcome | ErrorCode | Failure = 'a broken line'
  const checks: unknown[] = []
  const signatures: unknown[] = []
  let held: Promise<void> | null = null
  const below: Readonly<Record<string, (route: Route, request: Request) => Promise<void>>> = {
    '': async (route, request) => {
      const shown = checkout
      const until = held
      held = null
      await until
      const query = new URL(request.url()).searchParams.toString()
      return route.fulfill({
        headers: { ...pageHeaders(frameOrigins, shown), 'Content-Type': 'text/html; charset=utf-8' },
        body: buildPageSchema(shown, query, { script: SCRIPT, now: now(), frameOrigins }),
      })
    },
    // A stream that ends is requested again, here immediately, because a test waits for no server.
    '/events': (route) =>
      route.fulfill({
        contentType: 'text/event-stream',
        body: `retry: 200\nevent: checkout\ndata: ${JSON.stringify(checkout)}\n\n`,
      }),
    '/check': (route, request) => {
      checks.push(request.postDataJSON())
      return route.fulfill({ json: checkout })
    },
    '/authorization': async (route, request) => {
      const headers = { Date: now().toUTCString() }
      if (request.method() === 'GET')
        return route.fulfill({ headers, ...(typeof asked === 'string' ? refusal(asked) : offerOf(asked)) })
      signatures.push(request.postDataJSON())
      if (outcome === 'silence') return
      if (outcome === 'a broken line') return route.abort('connectionreset')
      return route.fulfill({ headers, ...(typeof outcome === 'string' ? refusal(outcome) : outcome) })
    },
    '/quote': (route) =>
      quote === null
        ? route.fulfill({ status: 503, json: {} })
        : route.fulfill({ json: { ...checkout, quote } }),
  }
  await page.route('**/*', (route, request) => {
    const { pathname } = new URL(request.url())
    if (pathname === `/pay/${SCRIPT}`) return route.fulfill({ contentType: 'text/javascript', body: script })
    const answer = below[pathname.replace(`/pay/${first.id}`, '')]
    if (isCut) return route.abort('connectionfailed')
    return answer
      ? answer(route, request)
      : route.fulfill({ contentType: 'text/html', body: '<h1>The shop</h1>' })
  })
  return {
    url: (query = '') => `${origin}/pay/${first.id}${query && `?${query}`}`,
    show: (next) => {
      checkout = { ...next, id: first.id }
    },
    hold: () => {
      let release: () => void = () => undefined
      held = new Promise((resolve) => {
        release = resolve
      })
      return release
    },
    cut: (cut) => {
      isCut = cut
    },
    offer: (offered) => {
      quote = offered
    },
    ask: (next) => {
      asked = next
    },
    carryOut: (answer) => {
      outcome = answer
    },
    ...{ checks, signatures },
  }
}

function refusal(code: ErrorCode): Outcome {
  return { status: HTTP_STATUS[code], json: { error: { code, message: `because of ${code}` } } }
}

function offerOf(authorizations: readonly object[]): Outcome {
  return { status: 200, json: { authorizations } }
}

/** In a browser, in place of the class: a staged stream ends at once, after which a page is loaded in any case. */
export const STREAM_THAT_STAYS = `
  globalThis.EventSource = class extends EventTarget {
    static CLOSED = 2
    readyState = 1
    constructor() {
      super()
      globalThis.stream = this
      setTimeout(() => this.dispatchEvent(new Event('open')))
    }
    close() {}
  }`

/** Sends this state on the page's open stream. */
export async function sendByStream(page: Page, state: object): Promise<void> {
  // Text within a script, for text that is sent as text.
  const data = JSON.stringify(JSON.stringify(state))
  await page.evaluate(`stream.dispatchEvent(new MessageEvent('checkout', { data: ${data} }))`)
}
