import type { PageData } from '../page-data.ts'
import { showLostBanner } from './lost-banner.ts'
import { announceToScreenReader, readPageData } from './page.ts'

type Live = {
  /** Loads and shows the page's current state; returns whether it could be loaded. */
  readonly refresh: () => Promise<boolean>
}

/**
 * Poll intervals without a stream, and with a stream or after the final state. Polling next to a stream finds changes
 * that a faulty stream does not announce.
 */
const POLL_MS = 15_000
const POLL_BESIDE_STREAM_MS = 60_000
const TIMEOUT_MS = 8000
const RECONNECT_MS = 3000

/**
 * Keeps the page up to date.
 *
 * The server renders every page, with or without a script. When the event stream reports a new revision, this function
 * fetches the page and replaces the changed parts. So only the server decides the content that a payer sees.
 *
 * @param shown - called for the initial page, and after each load of the page
 */
export function startPageRefresh(
  first: PageData,
  shown: (data: PageData, before: PageData | null) => void,
): Live {
  let data = first
  let source: EventSource | null = null
  let isOpen = false
  /** Whether the stream is interrupted. Until its next event, the page might be out of date. */
  let isStreamLost = false
  let latest: Promise<unknown> = Promise.resolve()
  let next: Promise<boolean> | null = null
  let refreshedAtMs = Date.now()
  let connectedAtMs = 0
  const written = new Map<string, string>()
  for (const part of PARTS) written.set(part, document.querySelector(part)?.innerHTML ?? '')

  const isWaiting = (): boolean => WAITING.has(data.checkout.screen)

  async function load(): Promise<void> {
    const url = new URL(location.href)
    url.searchParams.delete('check')
    const response = await fetch(url, { cache: 'no-store', signal: AbortSignal.timeout(TIMEOUT_MS) })
    const page = new DOMParser().parseFromString(await response.text(), 'text/html')
    const loaded = readPageData(page)
    if (!response.ok || loaded === null) throw new Error(`the page responded with ${response.status}`)
    refreshedAtMs = Date.now()
    // The content security policy of the first load still applies, and might block the connection of an in-page wallet
    // to its node.
    if (hasInPageWallet(loaded) && !hasInPageWallet(first)) location.reload()
    const refocus = rememberFocus()
    replaceParts(page, written)
    const before = data
    data = loaded
    if (document.title !== page.title) announceToScreenReader(page.title)
    document.title = page.title
    shown(data, before)
    refocus()
  }

  /**
   * Runs one load at a time, and queues at most one. A call does not share a running load, because that load might
   * return a state older than the call. A payer about to send money must not see such a state.
   */
  function refresh(): Promise<boolean> {
    next ??= latest.then(() => {
      next = null
      const begun = loadOrLose()
      latest = begun
      return begun
    })
    return next
  }

  async function loadOrLose(): Promise<boolean> {
    const isLoaded = await load().then(
      () => true,
      () => false,
    )
    setLost(isStreamLost || !isLoaded)
    return isLoaded
  }

  function setLost(isLost: boolean): void {
    // While the browser is offline, the banner stays. An event that was sent before the connection broke does not prove
    // that the page is up to date.
    showLostBanner(data, (isLost || !navigator.onLine) && isWaiting())
  }

  function connect(): void {
    source?.close()
    connectedAtMs = Date.now()
    source = new EventSource(`${data.checkout.id}/events?only=revision`)
    source.addEventListener('open', () => {
      isOpen = true
    })
    source.addEventListener('checkout', ({ data: text }: MessageEvent<string>) => {
      isStreamLost = false
      if (readRevision(text) === data.checkout.revision) setLost(false)
      else void refresh()
    })
    source.addEventListener('error', () => {
      isOpen = false
      // After the final state, a closed stream is expected. Before it, the page might be stale.
      isStreamLost = isWaiting()
      if (isStreamLost) void refresh()
    })
  }

  function tick(): void {
    const nowMs = Date.now()
    const isClosed = source?.readyState === EventSource.CLOSED
    if (isClosed && isWaiting() && nowMs - connectedAtMs >= RECONNECT_MS) connect()
    if (nowMs - refreshedAtMs >= (isOpen || !isWaiting() ? POLL_BESIDE_STREAM_MS : POLL_MS)) {
      refreshedAtMs = nowMs
      void refresh()
    }
  }

  /**
   * Reconnects the stream and refreshes the page, unless the page is hidden. The page and its stream might have been
   * suspended for hours.
   */
  function wake(): void {
    if (document.visibilityState === 'hidden') return
    if (!isOpen) connect()
    void refresh()
  }

  shown(data, null)
  connect()
  setInterval(tick, 1000)
  document.addEventListener('visibilitychange', wake)
  addEventListener('online', wake)
  addEventListener('offline', () => setLost(true))
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) wake()
  })
  return { refresh }
}

function readRevision(event: string): string {
  return (JSON.parse(event) as { readonly revision: string }).revision
}

/** Keeps `details` elements open, and the payer's input in fields. */
function replaceParts(page: Document, written: Map<string, string>): void {
  const open = [...document.querySelectorAll<HTMLDetailsElement>('details[open]')].map(({ id }) => id)
  for (const part of PARTS) {
    const [mine, its] = [document.querySelector(part), page.querySelector(part)]
    if (!mine || !its || written.get(part) === its.innerHTML) continue
    written.set(part, its.innerHTML)
    const kept = [...mine.querySelectorAll('input, select')].map((field) => [field.id, field] as const)
    mine.className = its.className
    mine.replaceChildren(...its.childNodes)
    for (const [id, field] of kept) mine.querySelector(`#${CSS.escape(id)}`)?.replaceWith(field)
  }
  for (const id of open) document.getElementById(id)?.setAttribute('open', '')
}

/** Returns a function that restores the focus after an update, to the same element or one with the same name. */
function rememberFocus(): () => void {
  const focused = document.activeElement as HTMLElement
  return () => {
    if (document.activeElement === focused) return
    const same = [...document.querySelectorAll<HTMLElement>(focused.localName)]
    const next = focused.isConnected ? focused : same.find((one) => getName(one) === getName(focused))
    next?.focus({ preventScroll: true })
  }
}

function getName(element: Element): string | null {
  return element.id || (element.getAttribute('aria-label') ?? element.textContent)
}

/** Returns whether the charge can be paid by a wallet that builds transactions inside the page (`page-headers.ts`). */
function hasInPageWallet({ checkout }: PageData): boolean {
  return checkout.howToPay?.payments.some(({ transfer }) => transfer === null) ?? false
}

const PARTS = ['header', 'main', 'footer'] as const

const WAITING: ReadonlySet<string> = new Set(['pay', 'signed', 'seen', 'deciding', 'unavailable'])
