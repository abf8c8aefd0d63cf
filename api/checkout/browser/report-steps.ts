import { CLOSE, HELLO, PREFIX, STEPS } from '../embed/messages.ts'
import type { PageCheckout, PageData } from '../page-data.ts'

/**
 * Reports the steps of the payment to the merchant's page if that page shows this page in a frame. Returns a function
 * that must be called after each change.
 *
 * The merchant's page requests reports after each load of the frame. The browser states the origin of the request,
 * which must be one of the origins that may embed this page. Reports go only to this origin, and contain only the step.
 */
export function startReports(current: () => PageData): () => void {
  let merchant: string | null = null
  let reportedCount = 0

  function send(type: string): void {
    if (merchant !== null) window.parent.postMessage({ type }, merchant)
  }

  function report(): void {
    if (merchant === null) return
    const steps = STEPS.slice(0, countSteps(current().checkout))
    for (const step of steps.slice(reportedCount)) send(PREFIX + step)
    reportedCount = Math.max(reportedCount, steps.length)
  }

  addEventListener('message', ({ source, origin, data }: MessageEvent<{ type?: unknown } | null>) => {
    if (source !== window.parent || !current().frameOrigins.includes(origin) || data?.type !== HELLO) return
    merchant = origin
    reportedCount = 0
    report()
  })
  // The dialog around the frame does not receive keys pressed inside it.
  addEventListener('keydown', ({ key, isComposing, defaultPrevented }) => {
    if (key === 'Escape' && !isComposing && !defaultPrevented) send(CLOSE)
  })
  return report
}

/** `seen` means that the whole amount was seen, so a paid charge has reached that step as well. */
function countSteps({ screen }: PageCheckout): number {
  if (screen === 'paid') return 3
  return screen === 'seen' ? 2 : 1
}
