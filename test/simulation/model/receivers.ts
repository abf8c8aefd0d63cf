import type { PostWebhook, WebhookResponse } from '../../../indexer/webhooks/post-webhook.ts'
import type { Random } from '../../support/seeded-random.ts'
import type { FaultRates } from '../engine/faults.ts'
import type { Scheduler, SimulatedProcess } from '../engine/scheduler.ts'

/** Fault of a merchant's endpoint; `well` for none. */
export type ReceiverMode = 'well' | 'refusing' | 'silent'

/** An attempt to deliver an event to an endpoint. */
export type Received = { readonly url: string; readonly eventId: string; readonly body: string }

export type Receivers = ReturnType<typeof createReceivers>

/** Creates the merchants' endpoints, which record the deliveries. */
export function createReceivers(scheduler: Scheduler) {
  /** All attempts in the order of their starts, including attempts that did not arrive. */
  const attempts: Received[] = []
  const received: Received[] = []
  const modes = new Map<string, ReceiverMode>()

  return {
    attempts: (): readonly Received[] => attempts,
    /** Returns the accepted deliveries. */
    received: (): readonly Received[] => received,
    setMode: (url: string, mode: ReceiverMode) => void modes.set(url, mode),
    heal: () => modes.clear(),
    postOf,
  }

  function postOf(
    process: SimulatedProcess,
    {
      latency,
      faults,
      crash,
    }: { readonly latency: Random; readonly faults: FaultRates; readonly crash: () => Promise<void> },
  ): PostWebhook {
    return (url, { headers, body }) =>
      new Promise<WebhookResponse>((resolve) => {
        const got = { url, eventId: headers['x-service-delivery'] ?? '', body: body.toString() }
        attempts.push(got)
        const plan = (label: string, run: () => void | Promise<void>, delayMs: number) =>
          void scheduler.later({ delayMs, process, label, run })
        const end = (answer: Partial<WebhookResponse>, delayMs: number) =>
          plan('endpoint answers', () => resolve({ ...NO_ANSWER, ...answer }), delayMs)
        const arrive = async () => {
          const place = `${process.name} ${url}`
          if (scheduler.meets('crash before', place, faults.crash)) return crash()
          if (scheduler.meets('unreachable', place, faults.unreachable))
            return end({ error: 'ECONNREFUSED' }, 10)
          const mode = modes.get(url) ?? 'well'
          scheduler.note(`endpoint ${url} gets ${got.eventId}`)
          if (mode === 'silent') return end({ error: 'no response in time' }, 8_000)
          if (mode === 'refusing')
            return end({ responseCode: 500, responseExcerpt: 'no' }, latency.integer(50))
          received.push(got)
          end({ responseCode: 200, responseExcerpt: 'ok' }, latency.integer(50))
        }
        plan(`posts ${got.eventId} to ${url}`, arrive, latency.integer(50))
      })
  }
}

const NO_ANSWER: WebhookResponse = {
  responseCode: null,
  responseExcerpt: null,
  retryAfter: undefined,
  error: null,
}
