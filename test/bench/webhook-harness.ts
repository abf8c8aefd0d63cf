import { createWebhookLoops } from '../../indexer/webhooks/webhook-loops.ts'
import type { Sql } from '../../shared/db/connect.ts'
import { connect } from '../../shared/db/connect.ts'
import { insertDeliveries } from '../../shared/db/events/daemon/insert-deliveries.ts'
import { newId } from '../../shared/domain/ids.ts'
import { createSealKeys, seal } from '../../shared/domain/sealed-box.ts'
import { createWebhookSecret, getHint } from '../../shared/domain/webhook-secret.ts'
import { systemClock } from '../../shared/runtime/clock.ts'
import { createLogger } from '../../shared/runtime/logger.ts'
import { createMetrics } from '../../shared/runtime/metrics.ts'
import { waitFor } from '../devnet/wait-for.ts'
import { createTestDatabase } from '../support/postgres.ts'
import type { Receiver } from '../support/receiver.ts'
import { insertOrganizationRow } from '../support/rows.ts'
import { type BenchOptions, resize } from './bench.ts'

/** The daemon's shipped code for webhooks, on its own database, with the default number of slots. */
export type WebhookRig = {
  readonly sql: Sql
  /** Registers endpoints of an organization for all events. Returns their ids in the order of the URLs. */
  readonly register: (urls: readonly string[], organizationId?: string) => Promise<readonly string[]>
  /** Creates `count` events of an organization, each with a delivery to each of the organization's endpoints. */
  readonly append: (count: number, organizationId?: string) => Promise<void>
  /** Deletes the successful deliveries, and updates PostgreSQL's table statistics. */
  readonly forgetDelivered: () => Promise<void>
  /** Sends until these endpoints have no pending delivery. Returns the duration in seconds. */
  readonly sendAll: (webhookIds: readonly string[]) => Promise<number>
  readonly start: () => Sending
  readonly stop: () => Promise<void>
}

export type Sending = { readonly wake: () => void; readonly stop: () => Promise<void> }

/** The organization that is measured, and the organization whose endpoints interfere. */
export const [MEASURED, OTHER] = ['org_measured', 'org_other'] as const

/** Event data about the size of a charge. */
export const EVENT_DATA = JSON.stringify({ id: 'ch_bench', status: 'confirmed', note: 'x'.repeat(1_200) })

const CONCURRENCY = 200

/** Number of measured endpoints, and number of events for each of them in one run of about 6 s. */
export const ENDPOINTS = 20
export const EVENTS = 800

/** Maximum number of simultaneous requests to the measured endpoints: five per endpoint. */
export const SLOTS = ENDPOINTS * 5

export type ReceivingOptions = BenchOptions & { readonly receiver: Receiver }

/** Runs a bench with its own harness. */
export async function withRig<Found>(run: (rig: WebhookRig) => Promise<Found>): Promise<Found> {
  const rig = await createWebhookRig()
  try {
    return await run(rig)
  } finally {
    await rig.stop()
  }
}

/** Registers the measured endpoints, which are paths of the receiver, and returns their ids. */
export function registerMeasured(rig: WebhookRig, receiver: Receiver): Promise<readonly string[]> {
  return rig.register(Array.from({ length: ENDPOINTS }, (_, n) => `${receiver.url}/${n}`))
}

/** Removes the rows and the request bodies of earlier runs, then returns the deliveries per second of one run. */
export async function sendMeasured(
  rig: WebhookRig,
  ids: readonly string[],
  options: ReceivingOptions,
): Promise<number> {
  const { receiver } = options
  const events = resize(EVENTS, options)
  receiver.forget()
  await rig.forgetDelivered()
  await rig.append(events)
  return (ENDPOINTS * events) / (await rig.sendAll(ids))
}

async function createWebhookRig(): Promise<WebhookRig> {
  const database = await createTestDatabase()
  const { sql } = database
  const daemon = connect({ url: database.url.daemon, applicationName: 'indexer', maxConnections: 10 })
  const keys = createSealKeys()
  for (const id of [MEASURED, OTHER]) await insertOrganizationRow(sql, id)

  function start(): Sending {
    const sending = createWebhookLoops({
      ...{
        sql: daemon,
        clock: systemClock,
        registry: createMetrics({ service: 'bench' }),
        onEvents: () => {},
      },
      log: createLogger({ level: 'error', service: 'bench' }),
      config: {
        webhooks: {
          sealPrivateKeys: [keys.privateKey],
          attemptDelaysSeconds: [0, 300, 1800, 7200, 86_400],
          concurrency: CONCURRENCY,
          retentionDays: 90,
        },
        allowedTargets: [{ cidr: '127.0.0.0/8', allowsHttp: true }],
        dnsServers: [],
      },
    })
    sending.start()
    return { wake: sending.wake, stop: sending.stop }
  }

  return {
    sql,
    start,
    register: async (urls, organizationId = MEASURED) => {
      const rows = urls.map((url) => {
        const secret = createWebhookSecret()
        return {
          ...{ id: newId('wh', Date.now()), organization_id: organizationId, environment: 'live', url },
          ...{ events: ['*'], event_categories: [], exclude_events: [] },
          ...{ secret_sealed: seal(keys.publicKey, secret), secret_hint: getHint(secret) },
        }
      })
      await sql`insert into webhooks ${sql(rows)}`
      return rows.map(({ id }) => id)
    },
    append: async (count, organizationId = MEASURED) => {
      await sql`
        with inserted as (
          insert into events as e (id, category, type, organization_id, environment, data, created_at)
          select 'evt_' || gen_random_uuid(), 'payments', 'charge.confirmed', ${organizationId}, 'live', ${EVENT_DATA},
            now()
          from generate_series(1, ${count}::int)
          returning e as event)
        ${insertDeliveries(sql)}`
    },
    forgetDelivered: async () => {
      await sql`delete from deliveries where status = 'delivered'`
      await sql`vacuum analyze deliveries`
    },
    sendAll: async (webhookIds) => {
      const sending = start()
      const startedAtMs = performance.now()
      await waitFor(async () => !(await hasPending(sql, webhookIds)), {
        what: 'everything to be delivered',
        timeoutMs: 120_000,
        // Polling affects the measurement: a query every 5 ms takes 2 % of PostgreSQL's time.
        intervalMs: 20,
      })
      const seconds = (performance.now() - startedAtMs) / 1000
      await sending.stop()
      return seconds
    },
    stop: async () => {
      await daemon.end()
      await database.drop()
    },
  }
}

async function hasPending(sql: Sql, webhookIds: readonly string[]): Promise<boolean> {
  const rows = await sql`
    select 1 from unnest(${[...webhookIds]}::text[]) as w (id)
    where exists (select from deliveries where webhook_id = w.id and status = 'pending') limit 1`
  return rows.length > 0
}
