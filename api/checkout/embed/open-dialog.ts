import { createDialog } from './create-dialog.ts'
import { lockScroll } from './lock-scroll.ts'
import { CLOSE, HELLO, PREFIX, STEPS } from './messages.ts'

export type OnEvent = (type: (typeof STEPS)[number] | 'closed') => void

/** Maximum time for the page to load; even a slow network needs less. */
const MAX_LOAD_MS = 20_000

/**
 * Maximum time for a loaded page to respond. A page that may be framed here responds immediately; any other page never
 * responds.
 */
const MAX_RESPONSE_MS = 3000

let closeOpen: (() => void) | null = null

/**
 * Opens the page in a dialog, and closes any open dialog first.
 *
 * If the page does not respond, for example because it may not be framed here, the browser leaves the merchant's page
 * and opens the page as a plain link would.
 */
export function openDialog(page: URL, onEvent: OnEvent): () => void {
  closeOpen?.()
  const { dialog, frame } = createDialog(page.href)
  const focused = document.activeElement
  const unlockScroll = lockScroll()
  /** Steps reported to `onEvent`. */
  let reached = 0
  let timer = setTimeout(leave, MAX_LOAD_MS)

  function receive({ source, origin, data }: MessageEvent): void {
    if (source !== frame.contentWindow || origin !== page.origin) return
    if (data?.type === CLOSE) return dialog.close()
    const index = STEPS.findIndex((step) => data?.type === PREFIX + step)
    const step = STEPS[index]
    if (step === undefined || index < reached) return
    clearTimeout(timer)
    reached = index + 1
    onEvent(step)
  }

  function greet(): void {
    frame.contentWindow?.postMessage({ type: HELLO }, page.origin)
    if (reached > 0) return
    clearTimeout(timer)
    timer = setTimeout(leave, MAX_RESPONSE_MS)
  }

  function end(): void {
    clearTimeout(timer)
    removeEventListener('message', receive)
    closeOpen = null
    unlockScroll()
    dialog.remove()
    if (focused instanceof HTMLElement) focused.focus({ preventScroll: true })
  }

  function leave(): void {
    end()
    location.assign(page)
  }

  function close(): void {
    if (!dialog.isConnected) return
    end()
    onEvent('closed')
  }

  addEventListener('message', receive)
  frame.addEventListener('load', greet)
  dialog.addEventListener('close', close)
  document.body.append(dialog)
  dialog.showModal()
  closeOpen = close
  return close
}
