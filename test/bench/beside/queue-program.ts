import { createRequire } from 'node:module'
import { Agent, request } from 'undici'
import { newId } from '../../../shared/domain/ids.ts'
import { presentEnvelope } from '../../../shared/domain/webhook-envelope.ts'
import { createWebhookSecret } from '../../../shared/domain/webhook-secret.ts'
import { signAttempt } from '../../../shared/domain/webhook-signature.ts'
import { waitFor } from '../../devnet/wait-for.ts'
import { startReceiver } from '../../support/receiver.ts'
import { EVENT_DATA } from '../webhook-harness.ts'

/** Options of a program that delivers webhooks with another queue, as JSON in its first argument. */
export type QueueArguments = {
  /** The `package.json` of the installed packages. */
  readonly manifest: string
  /** URL of an empty database, with the owner's role. */
  readonly databaseUrl: string
  readonly jobs: number
  /** Maximum number of simultaneous requests. */
  readonly slots: number
}

export type WebhookJob = { readonly id: string; readonly endpoint: number }

/** The used subset of `pg`'s pool. */
export type Pool = {
  readonly query: (text: string, values?: readonly unknown[]) => Promise<{ rows: Record<string, unknown>[] }>
  readonly end: () => Promise<void>
}

/** A queue to measure. `start` makes it call `work` for each inserted job until `stop` is called. */
export type Queue = {
  readonly insert: (jobs: readonly WebhookJob[]) => Promise<void>
  readonly start: (
    work: (job: WebhookJob) => Promise<void>,
  ) => Promise<{ readonly stop: () => Promise<void> }>
}

const ENDPOINTS = 20

/**
 * Measures a queue, prints how many webhooks per second it delivers, and ends the process.
 *
 * Each job does the same work as our sender: it creates the envelope, signs it, posts it, and records the status and
 * the start of the response. As in the bench of our webhooks, sender and receiver share a process.
 */
export async function measureQueue(
  createQueue: (load: NodeRequire, options: QueueArguments) => Promise<Queue>,
): Promise<void> {
  const options = JSON.parse(process.argv[2] ?? '') as QueueArguments
  const load = createRequire(options.manifest)
  const { Pool: PgPool } = load('pg') as { Pool: new (options: object) => Pool }
  const pool = new PgPool({ connectionString: options.databaseUrl, max: 10 })
  await pool.query('create schema beside')
  await pool.query(
    'create table beside.attempts (id text, endpoint int, code int, excerpt text, at timestamptz)',
  )
  const queue = await createQueue(load, options)
  await queue.insert(
    Array.from({ length: options.jobs }, (_, n) => ({
      id: newId('evt', Date.now()),
      endpoint: n % ENDPOINTS,
    })),
  )
  const receiver = await startReceiver()
  const deliver = createDelivery(receiver.url)
  let done = 0
  const startedAtMs = performance.now()
  const running = await queue.start(async (job) => {
    const { code, excerpt } = await deliver(job)
    await pool.query('insert into beside.attempts values ($1, $2, $3, $4, now())', [
      job.id,
      job.endpoint,
      code,
      excerpt,
    ])
    done += 1
  })
  await waitFor(() => done >= options.jobs, { what: 'all deliveries', timeoutMs: 300_000, intervalMs: 10 })
  const seconds = (performance.now() - startedAtMs) / 1000
  await running.stop()
  console.log(options.jobs / seconds)
  process.exit(0)
}

function createDelivery(url: string) {
  const secrets = Array.from({ length: ENDPOINTS }, createWebhookSecret)
  const dispatcher = new Agent({ pipelining: 1 })
  return async ({ id, endpoint }: WebhookJob) => {
    const secret = secrets[endpoint]
    if (secret === undefined) throw new Error(`no endpoint ${endpoint}`)
    const body = Buffer.from(
      presentEnvelope({ id, type: 'charge.confirmed', createdAt: new Date(), data: EVENT_DATA }),
    )
    const signatures = signAttempt({ id, body, timestamp: Math.floor(Date.now() / 1000) }, [secret])
    const headers = { 'content-type': 'application/json', ...signatures }
    const answer = await request(`${url}/${endpoint}`, { dispatcher, method: 'POST', headers, body })
    return { code: answer.statusCode, excerpt: (await answer.body.text()).slice(0, 1024) }
  }
}
