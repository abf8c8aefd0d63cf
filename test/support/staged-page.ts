import { execFileSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { BrowserContext, Page, Request, Route } from 'playwright-core'
import { pageHeaders } from '../../api/checkout/page-headers.ts'
import { nameScripts, readBundles, type ScriptBundles } from '../../api/checkout/page-script.ts'
import type { Checkout } from '../../api/checkout/project.ts'
import { type ErrorCode, HTTP_STATUS } from '../../shared/domain/errors.ts'
import { buildPageSchema } from './checkout.ts'
import { temporaryDirectory } from './temporary-directory.ts'

/** The page of a charge with its script, as a browser loads it, and a service whose responses the test sets. */
export type StagedPage = {
  readonly url: (query?: string) => string
  /** Sets the charge's state that the service returns from now on. */
  readonly show: (checkout: Checkout) => void
  /**
   * Holds back the next page until the returned function is called. The page then shows the state at the time of its
   * request.
   */
  readonly hold: () => () => void
  /** Makes the service stop or resume responding. */
  readonly cut: (isCut: boolean) => void
  /** Sets the quote in the response to `/quote`. Until then, the response is 503. */
  readonly offer: (quote: object) => void
  /** Sets the response to `GET authorization`: the data to sign, or an error code. */
  readonly ask: (asked: readonly object[] | ErrorCode) => void
  /** Sets the response to a submitted signature. */
  readonly carryOut: (answer: Outcome | ErrorCode | Failure) => void
  /** Bodies of the check requests that the page has sent. */
  readonly checks: readonly unknown[]
  /** Bodies of the signatures that the page has submitted. */
  readonly signatures: readonly unknown[]
}

/** A response. A status without one of the service's error codes might come from an intermediary. */
export type Outcome = { readonly status: number; readonly json?: object; readonly body?: string }

/** The connection breaks, or no response arrives. */
export type Failure = 'a broken line' | 'silence'

const REPOSITORY = resolve(import.meta.dirname, '../..')

/** Bundles the scripts as `npm run build` does. */
export async function bundleScripts(): Promise<ScriptBundles> {
  const directory = await temporaryDirectory('script')
  execFileSync(process.execPath, [join(REPOSITORY, '.ci/bundle-checkout.mjs'), directory])
  const bundles = readBundles(pathToFileURL(join(directory, 'api/checkout/browser/bundle/')))
  if (bundles === null) throw new Error('there are no bundles')
  return bundles
}

type Stage = {
  readonly scripts: ScriptBundles
  readonly first: Checkout
  /** Returns the service's time. */
  readonly now?: () => Date
  readonly origin?: string
  /** Origins that may embed the page. */
  readonly frameOrigins?: readonly string[]
}

/** Serves the charge's page and the service's responses in this browser page, or in all pages of the context. */
export async function stagePage(
  page: Page | BrowserContext,
  { scripts, first, now = () => new Date(), origin = 'http://page.test', frameOrigins = [] }: Stage,
): Promise<StagedPage> {
  const served = nameScripts(scripts)
  const [script = null] = served.keys()
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
        body: buildPageSchema(shown, query, { script, now: now(), frameOrigins }),
      })
    },
    // Browsers reopen a stream that ends. Here they do so after 200 ms, so that tests do not wait.
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
    const body = served.get(pathname.replace('/pay/', ''))
    if (body !== undefined) return route.fulfill({ contentType: 'text/javascript', body })
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

/**
 * Script that replaces the browser's EventSource with a class whose streams stay open. A stream from `stagePage` ends
 * after one event, and the page then reloads regardless of the event.
 */
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

/** Sends a charge's state on the stream that `STREAM_THAT_STAYS` opened. */
export async function sendByStream(page: Page, state: object): Promise<void> {
  // Encoded twice: as the event's text, and as a string literal in the script.
  const data = JSON.stringify(JSON.stringify(state))
  await page.evaluate(`stream.dispatchEvent(new MessageEvent('checkout', { data: ${data} }))`)
}
