import { hash } from 'node:crypto'
import type { Random } from '../../support/seeded-random.ts'
import type { ModelNode } from '../model/model-node.ts'
import { answerRequest } from '../model/node.ts'
import type { FaultRates } from './faults.ts'
import type { Scheduler, SimulatedProcess } from './scheduler.ts'

type Terms = {
  readonly scheduler: Scheduler
  readonly latency: Random
  readonly faults: FaultRates
  readonly nodes: readonly ModelNode[]
  readonly crash: () => Promise<void>
}

type Call = { readonly method: string; readonly params?: readonly unknown[] }

/**
 * Time after which a request to a silent node fails once the faults have ended. It equals the product's timeout, whose
 * own timer would then fire up to 90 s late.
 */
const SILENT_MS = 5_000

/**
 * Creates the `fetch` of one process. A request reaches its node when the scheduler releases it, the node responds with
 * its state at that time, and the response waits for the scheduler too. The product's own clients call this function. A
 * client that abandons a request gets no response, although the node might have received the request.
 */
export function createRpcPort({ scheduler, latency, faults, nodes, crash }: Terms) {
  return (process: SimulatedProcess, url: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const place = String(url instanceof Request ? url.url : url)
    const node = nodes.find((each) => each.url === place || place.startsWith(pathsOf(each)))
    if (node === undefined) throw new Error(`there is no node at ${place}`)
    const body = JSON.parse(typeof init?.body === 'string' ? init.body : '{}') as object
    const path = node.url === place ? null : place.slice(pathsOf(node).length)
    const { method, params = [] }: Call = path === null ? (body as Call) : { method: path, params: [body] }
    const what = `${new URL(place).host} ${method}`
    const { signal } = init ?? {}
    return new Promise((resolve, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
      const plan = (label: string, run: () => void | Promise<void>, delayMs: number) =>
        void scheduler.later({ delayMs, process, label, run })
      const arrive = async () => {
        if (scheduler.meets('crash before', `${process.name} ${what}`, faults.crash)) return crash()
        if (scheduler.meets('unreachable', `${process.name} ${what}`, faults.unreachable))
          return plan('fails', () => reject(new TypeError('fetch failed')), latency.integer(50))
        const answer = await answerRequest(node, { method, params, path }, scheduler.nowMs())
        if (answer === null) {
          if (scheduler.isCalm())
            plan('gets no response', () => reject(new TypeError('fetch failed')), SILENT_MS)
          return
        }
        const text = JSON.stringify(answer)
        scheduler.note(`answer ${digestOf(text)}`)
        const isLate = scheduler.meets('late', `${process.name} ${what}`, faults.late)
        const delayMs = latency.integer(40) + (isLate ? 1_000 + latency.integer(7_000) : 0)
        plan('is answered', () => resolve(responseOf(text, path !== null)), delayMs)
      }
      plan(`asks ${what} ${digestOf(JSON.stringify(params))}`, arrive, latency.integer(40))
    })
  }
}

/** Returns the base URL of a TRON node's HTTP API, which is next to `jsonrpc`; the URL itself for any other node. */
function pathsOf({ url, chain }: ModelNode): string {
  return chain.isTron ? url.replace(/jsonrpc$/, '') : url
}

function digestOf(text: string): string {
  return hash('sha256', text).slice(0, 8)
}

/**
 * Returns only the members of a response that the clients read. Reading the stream of a real response would take real
 * time, so clients that read the stream receive an array with one chunk instead.
 */
function responseOf(text: string, isStreamed: boolean): Response {
  const headers = new Headers({ 'Content-Type': 'application/json' })
  return {
    ok: true,
    status: 200,
    headers,
    body: isStreamed ? [Buffer.from(text)] : null,
    text: () => Promise.resolve(text),
  } as unknown as Response
}
