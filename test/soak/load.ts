import { setTimeout as delay } from 'node:timers/promises'
import { createApiClient, requireData } from '../../api/client/client.ts'
import { listenToEvents } from '../../api/client/listen.ts'
import { createApiCaller } from '../devnet/call-api.ts'
import type { Devnet } from '../devnet/devnet.ts'
import type { Market } from '../support/market.ts'
import { startReceiver } from '../support/receiver.ts'

/** A merchant with a webhook endpoint and an event stream, and payers. The rate of charges can be changed. */
export type Trade = {
  /** Ids of the events that arrived at the endpoint. */
  readonly delivered: ReadonlySet<string>
  /** Ids of the events that arrived on the stream. */
  readonly heard: ReadonlySet<string>
  /** Sets the number of charges created and paid per second from now on. 0 pauses. */
  readonly setRate: (perSecond: number) => void
  /** Descriptions of the failed rounds. */
  readonly failures: readonly string[]
  /** Ends the rounds, and resolves when the round in progress has completed. */
  readonly rest: () => Promise<void>
  readonly stop: () => Promise<void>
}

/** Duration of a round, in which charges are created and paid together: two blocks of the devnet. */
const ROUND_MS = 2_000

/** Registers the endpoint, opens the stream, and starts with a rate of 0. */
export async function startTrade(devnet: Devnet, market: Market): Promise<Trade> {
  const delivered = new Set<string>()
  const heard = new Set<string>()
  const failures: string[] = []
  const receiver = await startReceiver((response, { headers }) => {
    delivered.add(String(headers['webhook-id']))
    response.end('ok')
  })
  const body = { url: receiver.url, events: ['*'] }
  await requireData(createApiCaller(devnet.description).POST('/v1/webhooks', { body: body as never }))
  const ending = new AbortController()
  // The run goes on if the stream fails: the events that it did not show are then reported as missing.
  void listen(devnet, { heard, signal: ending.signal }).catch(() => undefined)
  let perSecond = 0
  const resting = new AbortController()

  async function takeRounds(): Promise<void> {
    let owed = 0
    while (!resting.signal.aborted) {
      const startedAtMs = Date.now()
      // Fractions of a charge are carried over to the next round, but charges that an outage prevented are not.
      owed = Math.min(owed, 1) + (perSecond * ROUND_MS) / 1000
      const count = Math.floor(owed)
      owed -= count
      if (count > 0) await round(count)
      // The receiver keeps all requests for tests that inspect them. In a soak run, they would fill the memory.
      receiver.forget()
      await delay(Math.max(0, startedAtMs + ROUND_MS - Date.now()))
    }
  }

  async function round(count: number): Promise<void> {
    try {
      await market.openCharges(count)
      await market.payOnTime()
    } catch (error) {
      failures.push(error instanceof Error ? error.message : String(error))
    }
  }

  const rounds = takeRounds()
  const rest = async () => {
    resting.abort()
    await rounds
  }
  return {
    ...{ delivered, heard, failures, rest },
    setRate: (next) => {
      perSecond = next
    },
    stop: async () => {
      await rest()
      ending.abort()
      await receiver.stop()
    },
  }
}

async function listen(
  { description }: Devnet,
  { heard, signal }: { readonly heard: Set<string>; readonly signal: AbortSignal },
): Promise<void> {
  const api = createApiClient({ apiUrl: description.apiUrl, apiKey: description.keys.live })
  for await (const item of listenToEvents(api, { signal })) {
    if (item.kind === 'event') heard.add(item.event.id)
  }
}
