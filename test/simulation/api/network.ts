import { hash } from 'node:crypto'
import { createRandomStream } from '../engine/chance.ts'
import type { Scheduler } from '../engine/scheduler.ts'
import type { HttpRequest, HttpResponse } from './handle-request.ts'
import type { ApiServer } from './servers.ts'

/** Probabilities of faults between clients and the API. */
export type NetworkRates = {
  /** A request does not reach the API. */
  readonly unreachable: number
  /** The connection breaks after the request was handled, and its response is lost. */
  readonly unanswered: number
  /** A response arrives seconds late. */
  readonly late: number
}

type Terms = {
  readonly scheduler: Scheduler
  readonly servers: readonly ApiServer[]
  readonly rates: NetworkRates
}

/** Sends a request to one of the servers. Returns `null` if no response arrives. */
export type Send = (request: HttpRequest) => Promise<HttpResponse | null>

/** Time after which a client no longer waits for a response. The API processes a request for longer, for up to 45 s. */
const PATIENCE_MS = 6_000
const MAX_LATENCY_MS = 60

/**
 * Creates the network between clients and the API, with a load balancer that chooses a server for each request. The API
 * does not notice that a response is lost, or that its client no longer waits for it.
 */
export function createNetwork({ scheduler, servers, rates }: Terms): Send {
  const random = createRandomStream(scheduler.seed, 'clients network')
  const later = (delayMs: number, label: string, run: () => void) =>
    scheduler.later({ delayMs, process: null, label, run })

  return (request) => {
    const place = `${request.method} ${request.path}`
    const server = random.pick(servers)
    return new Promise((resolve) => {
      const cancel = later(PATIENCE_MS, `no longer waits for ${place}`, () => resolve(null))
      const end = (response: HttpResponse | null) => {
        cancel()
        resolve(response)
      }
      const answer = (response: HttpResponse | null) => {
        if (response !== null) scheduler.note(`response ${response.status} ${digestOf(response.body)}`)
        const lateMs = scheduler.meets('late response', place, rates.late) ? 1_000 + random.integer(8_000) : 0
        later(random.integer(MAX_LATENCY_MS) + lateMs, `response to ${place}`, () =>
          end(scheduler.meets('unanswered', place, rates.unanswered) ? null : response),
        )
      }
      later(random.integer(MAX_LATENCY_MS), `sends ${place} ${digestOf(request.body ?? '')}`, () => {
        if (scheduler.meets('unreachable', place, rates.unreachable)) end(null)
        else server.receive(request, answer)
      })
    })
  }
}

function digestOf(text: string): string {
  return hash('sha256', text).slice(0, 8)
}
