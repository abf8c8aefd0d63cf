import { createRandomStream } from '../engine/chance.ts'
import type { Scheduler } from '../engine/scheduler.ts'
import type { Organization } from '../world.ts'
import type { HttpRequest, HttpResponse } from './handle-request.ts'
import type { Send } from './network.ts'

/** A request of an organization, without its API key. */
export type Call = Omit<HttpRequest, 'headers'> & {
  readonly organization: Organization
  readonly headers?: Readonly<Record<string, string>>
}

/** A charge as the API returns it. */
export type ChargeJson = Readonly<Record<string, unknown>> & { readonly id: string; readonly status: string }

/** A request and its response, as the client recorded them. */
export type Exchange = Pick<Call, 'method' | 'path'> &
  Pick<HttpResponse, 'status'> & {
    readonly organizationId: string
    /** The request's idempotency key; `null` if it has none. */
    readonly key: string | null
    /** The code of an error; `null` for a success. */
    readonly code: string | null
    /** The charges in the response: all charges of a page, or a single charge. */
    readonly charges: readonly ChargeJson[]
    readonly sentMs: number
    readonly receivedMs: number
  }

export type Client = ReturnType<typeof createClient>

/**
 * Time for which a rejection is not final after an attempt with an unknown outcome. The API can process that attempt
 * for up to 45 s.
 */
const UNCLEAR_MS = 50_000
const MIN_PAUSE_MS = 200
const MAX_PAUSE_MS = 3_000
/** Pause after a rejection that is not final. */
const REJECTED_PAUSE_MS = 10_000
/** Maximum time until a client sends the same request a second time without waiting for the response. */
const MAX_HASTE_MS = 300

/** Creates the client of all organizations, which records every response. */
export function createClient({ scheduler, send }: { readonly scheduler: Scheduler; readonly send: Send }) {
  const random = createRandomStream(scheduler.seed, 'clients')
  const exchanges: Exchange[] = []
  const sent: Call[] = []
  const waiting = new Set<Call>()

  return {
    /** The requests with a response, in the order of their responses. */
    exchanges: exchanges as readonly Exchange[],
    /** All requests, in the order in which they were sent, including those without a response. */
    sent: sent as readonly Pick<Call, 'path' | 'body'>[],
    /** Requests that are repeated until they succeed or are finally rejected. */
    waiting: waiting as ReadonlySet<Call>,
    ask,
    insist,
  }

  /** Sends a request once. Returns `null` if no response arrives. */
  async function ask(asked: Call): Promise<HttpResponse | null> {
    const { organization, ...call } = asked
    sent.push(asked)
    const sentMs = scheduler.nowMs()
    const json = call.body === null ? {} : { 'content-type': 'application/json' }
    const headers = { ...call.headers, ...json, authorization: `Bearer ${organization.apiKey}` }
    const response = await send({ ...call, headers })
    if (response === null) return null
    const { method, path } = call
    exchanges.push({
      ...{ organizationId: organization.id, key: call.headers?.['idempotency-key'] ?? null, method, path },
      ...{ ...readResponse(response), sentMs, receivedMs: scheduler.nowMs() },
    })
    return response
  }

  /**
   * Repeats a request until it succeeds or is finally rejected, sometimes with two attempts at the same time. Returns
   * the response that ended the attempts.
   */
  async function insist(call: Call): Promise<HttpResponse> {
    waiting.add(call)
    let unclearMs = Number.NEGATIVE_INFINITY
    for (;;) {
      const sentMs = scheduler.nowMs()
      const isHasty = random.fraction() < 0.2
      const second = isHasty ? pause(random.integer(MAX_HASTE_MS)).then(() => ask(call)) : null
      const first = await ask(call)
      // The API can reject the first request and accept the second, for example if a network recovers between them.
      const response = second !== null && isRejection(first) ? await second : first
      const isUnclear = response === null || response.status >= 429
      if (isUnclear) unclearMs = sentMs
      else if (
        response.status < 300 ||
        call.method === 'GET' ||
        scheduler.nowMs() >= unclearMs + UNCLEAR_MS
      ) {
        waiting.delete(call)
        return response
      }
      await pause(isUnclear ? MIN_PAUSE_MS + random.integer(MAX_PAUSE_MS) : REJECTED_PAUSE_MS)
    }
  }

  function pause(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      scheduler.later({ delayMs, process: null, label: 'client waits', run: () => resolve() })
    })
  }
}

function isRejection(response: HttpResponse | null): boolean {
  return response !== null && response.status >= 300 && response.status < 429
}

function isCharge({ id }: ChargeJson): boolean {
  return id.startsWith('ch_')
}

type Body = Partial<ChargeJson> & {
  readonly error?: { readonly code: string }
  readonly data?: readonly ChargeJson[]
}

function readResponse({ status, body }: HttpResponse): Pick<Exchange, 'status' | 'code' | 'charges'> {
  const json = JSON.parse(body) as Body
  if (status >= 300) return { status, code: json.error?.code ?? '', charges: [] }
  return { status, code: null, charges: (json.data ?? [json as ChargeJson]).filter(isCharge) }
}
