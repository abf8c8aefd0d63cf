import { createDialog } from './create-dialog.ts'
import { lockScroll } from './lock-scroll.ts'
import { CLOSE, HELLO, PREFIX, STEPS } from './messages.ts'

export type OnEvent = (type: (typeof STEPS)[number] | 'closed') => void

/** Maximum time for the page to load. Loading takes less even on a slow network. */
const MAX_LOAD_MS = 20_000

/**
 * Timeout of a loaded page's response. A page that may be framed responds immediately; a page that the merchant's page
 * may not frame never responds.
 */
const MAX_RESPONSE_MS = 3000

let closeOpen: (() => void) | null = null

/**
 * Opens the page in a dialog; a dialog that is open is closed first.
 *
 * A page that does not respond, for example because it may not be framed here, replaces the merchant's page, like a
 * link without the script.
 */
export function openDialog(page: URL, onEvent: OnEvent): () => void {
  closeOpen?.()
  const { dialog, frame } = createDialog(page.href)
  const focused = document.activeElement
  const unlockScroll = lockScroll()
  /** The number of steps that were reported to the merchant's page. */
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
