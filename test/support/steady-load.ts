import { createApiClient } from '../../api/client/client.ts'
import { listenToEvents } from '../../api/client/listen.ts'
import type { Devnet } from '../devnet/devnet.ts'
import { type ChargeJson, pay, USDC_ON_BASE } from './scenario.ts'

/** A merchant's requests and payers' payments, which continue through any outage. */
export type SteadyLoad = {
  /** Charges whose creation returned 201, in order. */
  readonly made: readonly ChargeJson[]
  /** The charges of `made` that were paid. */
  readonly paid: readonly ChargeJson[]
  /** The error message of each failed request or payment. */
  readonly failures: readonly string[]
  /** Milliseconds from each request to its complete response. */
  readonly tookMs: readonly number[]
  /** Ids of webhook events, in the order in which the stream delivered them. */
  readonly heard: readonly string[]
  /** Returns the number of times that the stream's connection was lost. */
  readonly lostCount: () => number
  /** Stops sending requests. Resolves when all pending requests and payments are complete. The stream stays open. */
  readonly stopAsking: () => Promise<void>
  /** Ends the stream. */
  readonly stop: () => void
}

type LoadOptions = {
  /** Charges per second. */
  readonly rate: number
  readonly pays: boolean
}

/**
 * Creates and reads charges, pays a charge whenever the previous payment is mined, and reads the stream of events.
 *
 * Failed requests are not retried.
 */
export async function startSteadyLoad(
  devnet: Devnet,
  url: string,
  { rate, pays }: LoadOptions = { rate: 25, pays: true },
): Promise<SteadyLoad> {
  const { live } = devnet.description.keys
  const ask = async (method: 'GET' | 'POST', path: string, body?: object): Promise<unknown> => {
    const askedAtMs = performance.now()
    const headers = { authorization: `Bearer ${live}`, 'content-type': 'application/json' }
    const answer = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    const text = await answer.text()
    tookMs.push(performance.now() - askedAtMs)
    if (!answer.ok) throw new Error(`${answer.status} ${text.slice(0, 200)}`)
    return JSON.parse(text)
  }
  const made: ChargeJson[] = []
  const paid: ChargeJson[] = []
  const failures: string[] = []
  const tookMs: number[] = []
  const underWay = new Set<Promise<void>>()
  let paying: Promise<void> | null = null
  const payOne = async (charge: ChargeJson) => {
    await pay(devnet, { charge })
    paid.push(charge)
  }
  const terms = { amount: 10, acceptedPayments: [USDC_ON_BASE], expiresIn: 3600 }
  const makeOne = async () => {
    const charge = (await ask('POST', '/v1/charges', terms)) as ChargeJson
    made.push(charge)
    await ask('GET', `/v1/charges/${charge.id}`)
    if (!pays) return
    paying ??= payOne(charge)
      .catch((error: unknown) => void failures.push(wordsOf(error)))
      .finally(() => {
        paying = null
      })
  }
  const heard: string[] = []
  let lost = 0
  const end = new AbortController()
  const api = createApiClient({ apiUrl: url, apiKey: live })
  const events = listenToEvents(api, { signal: end.signal, onLost: () => (lost += 1) })
  const first = events.next()
  const hear = async () => {
    await first
    for await (const item of events) if (item.kind === 'event') heard.push(item.event.id)
  }
  const hearing = hear()
  await first
  const asking = setInterval(() => {
    const one = makeOne()
      .catch((error: unknown) => void failures.push(wordsOf(error)))
      .finally(() => underWay.delete(one))
    underWay.add(one)
  }, 1000 / rate)
  return {
    ...{ made, paid, failures, tookMs, heard },
    lostCount: () => lost,
    stopAsking: async () => {
      clearInterval(asking)
      while (underWay.size > 0) await Promise.all(underWay)
      await paying
    },
    stop: () => {
      end.abort()
      hearing.catch(() => undefined)
    },
  }
}

function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
}
