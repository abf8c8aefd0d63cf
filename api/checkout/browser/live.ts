import type { PageData } from '../page-data.ts'
import { announce, element, readPageData, say } from './page.ts'

/** What keeps a page up to date. */
type Live = {
  /** Shows the page as it is now, and answers whether that could be had. */
  readonly refresh: () => Promise<boolean>
}

/** Where a stream cannot be had, and beside one, in case that it is silent for another reason than that nothing happens. */
const POLL_MS = 15_000
const POLL_BESIDE_STREAM_MS = 60_000
const TIMEOUT_MS = 8000
const RECONNECT_MS = 3000

/**
 * Keeps the page as it would be if it were loaded again.
 *
 * The server writes every page, with a script or without: whenever the stream tells of another state, the page is fetched
 * and what differs is put in its place. So there is one place where it is decided what a payer is shown.
 *
 * @param shown - called whenever something else is shown, first for what is there
 */
export function keepLive(first: PageData, shown: (data: PageData, before: PageData | null) => void): Live {
  let data = first
  let told = JSON.stringify(first.checkout)
  let source: EventSource | null = null
  let isOpen = false
  /** It was there, and until it speaks again what is shown is what was asked for last. */
  let isStreamLost = false
  /** The load that was begun last, and the one that begins when that has ended. */
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
    if (!response.ok || loaded === null) throw new Error(`the page answered ${response.status}`)
    refreshedAtMs = Date.now()
    // The policy stays that of the page which was opened, and may keep such a wallet from its node.
    if (hasWalletWithin(loaded) && !hasWalletWithin(first)) location.reload()
    const refocus = rememberFocus()
    put(page, written)
    const before = data
    data = loaded
    told = JSON.stringify(loaded.checkout)
    if (document.title !== page.title) announce(page.title)
    document.title = page.title
    shown(data, before)
    refocus()
  }

  /**
   * However many ask at once, one goes, and one more after it: what was asked for earlier may be older than the question,
   * and who is about to send money must not be told so.
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
    const isRight = await load().then(
      () => true,
      () => false,
    )
    setLost(isStreamLost || !isRight)
    return isRight
  }

  function setLost(isLost: boolean): void {
    const banner = document.getElementById('lost')
    if (!isLost || !isWaiting()) banner?.remove()
    else if (!banner) document.body.prepend(lostBanner(data))
  }

  function connect(): void {
    source?.close()
    connectedAtMs = Date.now()
    source = new EventSource(`${data.checkout.id}/events`)
    source.addEventListener('open', () => {
      isOpen = true
    })
    source.addEventListener('checkout', ({ data: text }: MessageEvent<string>) => {
      isStreamLost = false
      if (text === told) setLost(false)
      else void refresh()
    })
    source.addEventListener('error', () => {
      isOpen = false
      // Where it is over, the page is; else what it shows may be old.
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

  /** The page may have stood still for hours, its stream with it. */
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
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) wake()
  })
  return { refresh }
}

/** Puts what differs in its place, and leaves as it is what the payer has opened and typed. */
function put(page: Document, written: Map<string, string>): void {
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

/** Answers what gives the focus back, once all is written: to what had it, or to what is called the same. */
function rememberFocus(): () => void {
  const focused = document.activeElement as HTMLElement
  return () => {
    if (document.activeElement === focused) return
    const same = [...document.querySelectorAll<HTMLElement>(focused.localName)]
    const next = focused.isConnected ? focused : same.find((one) => nameOf(one) === nameOf(focused))
    next?.focus({ preventScroll: true })
  }
}

function nameOf(element: Element): string | null {
  return element.id || (element.getAttribute('aria-label') ?? element.textContent)
}

/** It can be paid by a wallet that makes its transactions within the page (`policy.ts`). */
function hasWalletWithin({ checkout }: PageData): boolean {
  return checkout.howToPay?.payments.some(({ transfer }) => transfer === null) ?? false
}

const PARTS = ['header', 'main', 'footer'] as const

const WAITING: ReadonlySet<string> = new Set(['pay', 'seen', 'deciding', 'unavailable'])

function lostBanner(data: PageData): HTMLElement {
  return element('p', { id: 'lost', className: 'lost', role: 'status' }, ...say(data, 'script.lost'))
}
