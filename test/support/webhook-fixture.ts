import { createTargetConnector } from '../../indexer/webhooks/connect-target.ts'
import { createDecryptSecrets } from '../../indexer/webhooks/decrypt-secrets.ts'
import { createDeliveryActor } from '../../indexer/webhooks/delivery-actor.ts'
import { createPostWebhook } from '../../indexer/webhooks/post-webhook.ts'
import { processWebhookRequests } from '../../indexer/webhooks/process-requests.ts'
import { createWebhookMetrics } from '../../indexer/webhooks/webhook-metrics.ts'
import type { Sql } from '../../shared/db/connect.ts'
import { appendEvents } from '../../shared/db/events/daemon/events.ts'
import {
  countPendingDeliveries,
  getOldestDueSeconds,
} from '../../shared/db/webhooks/daemon/delivery-backlog.ts'
import { EVENT_CATEGORY, type EventType } from '../../shared/domain/event.ts'
import { newId } from '../../shared/domain/ids.ts'
import type { Environment } from '../../shared/domain/networks.ts'
import { createSealKeys, type SealKeys, seal } from '../../shared/domain/sealed-box.ts'
import { createWebhookSecret, getHint, type WebhookSecret } from '../../shared/domain/webhook-secret.ts'
import { createMetrics } from '../../shared/runtime/metrics.ts'
import { createResolver } from '../../shared/runtime/resolver.ts'
import { connectForTest, createTestDatabase, type TestDatabase } from './postgres.ts'
import { recordingLog } from './recording-log.ts'
import { chargeTerms, insertBase, insertOrganizationRow } from './rows.ts'

/** A database with an organization, and the daemon's webhook workers, with a clock that the test advances. */
export type WebhookFixture = {
  readonly database: TestDatabase
  /** Connections with the daemon's role. */
  readonly sql: Sql
  readonly keys: SealKeys
  readonly lines: readonly Record<string, unknown>[]
  readonly clock: { readonly now: () => Date; readonly advance: (seconds: number) => void }
  /** Creates the delivery actor of one more daemon on the database. */
  readonly startActor: (changes?: ActorChanges) => Promise<StagedActor>
  /** Registers an endpoint for all events; `columns` overrides its columns. */
  readonly addWebhook: (url: string, columns?: Row) => Promise<{ id: string; secret: WebhookSecret }>
  /** Appends an event of `org_one`, by default live, and returns the event's id. */
  readonly appendEvent: (event?: StagedEvent) => Promise<string>
  readonly addCharge: () => Promise<string>
  readonly listDeliveries: (webhookId?: string) => Promise<readonly StagedDelivery[]>
  /** Returns the types of all events about webhooks, in order. */
  readonly listSignals: () => Promise<readonly string[]>
  readonly fulfil: () => Promise<'more' | 'idle'>
  readonly metricsText: () => Promise<string>
  readonly stop: () => Promise<void>
}

type Row = Readonly<Record<string, unknown>>
type ActorChanges = {
  readonly timeoutMs?: number
  readonly concurrency?: number
  readonly keys?: readonly Buffer[]
  readonly dnsServers?: readonly string[]
  readonly allowed?: readonly { cidr: string; allowsHttp: boolean }[]
}
type StagedEvent = {
  readonly type?: EventType
  readonly chargeId?: string | null
  readonly environment?: Environment
  readonly data?: string
}
type StagedDelivery = {
  readonly publicId: string
  readonly webhookId: string
  readonly type: string
  readonly status: string
  readonly attempts: number
  readonly responseCode: number | null
  readonly responseExcerpt: string | null
  readonly lastError: string | null
  readonly nextAttemptAt: Date | null
  readonly leasedUntil: Date | null
}

/** A delivery actor. The test runs its turns. */
export type StagedActor = ReturnType<typeof createDeliveryActor> & {
  /** Runs turns until no delivery is due, and waits for every attempt. */
  readonly work: () => Promise<void>
  readonly stop: () => Promise<void>
}

const LOOPBACK = [{ cidr: '127.0.0.0/8', allowsHttp: true }]

/** Delay before each attempt of a delivery, see decisions 6.5. */
export const ATTEMPT_DELAYS_SECONDS = [0, 300, 1800, 7200, 86_400]

const AHEAD_MS = 120_000

/**
 * Creates the fixture. Its clock is ahead of the database's clock by more time than any test takes, so that inserted
 * rows are due.
 */
export async function createWebhookFixture(): Promise<WebhookFixture> {
  const database = await createTestDatabase()
  const sql = connectForTest(database.url.daemon)
  await insertOrganizationRow(database.sql, 'org_one')
  await insertBase(database.sql)
  const keys = createSealKeys()
  const { log, lines } = recordingLog()
  let now = new Date(Math.ceil(Date.now() / 1000) * 1000 + AHEAD_MS)
  const clock = () => now
  const registry = createMetrics({ service: 'test' })
  const metrics = createWebhookMetrics(registry, {
    countPending: () => countPendingDeliveries(sql),
    oldestDueSeconds: () => getOldestDueSeconds(sql, now),
  })
  const actors: StagedActor[] = []

  async function startActor(changes: ActorChanges = {}): Promise<StagedActor> {
    const { timeoutMs = 8000, concurrency = 100, dnsServers = [], allowed = LOOPBACK } = changes
    const connect = createTargetConnector({ resolve: createResolver(dnsServers), allowed, timeoutMs })
    const { post, close } = createPostWebhook(connect, timeoutMs)
    const actor = createDeliveryActor({
      ...{ sql, clock, log, metrics, post, onEvents: () => {}, onFree: () => {} },
      openSecrets: createDecryptSecrets(changes.keys ?? [keys.privateKey]),
      terms: { concurrency, attemptDelaysSeconds: ATTEMPT_DELAYS_SECONDS },
    })
    const work = async () => {
      do {
        while ((await actor.turn()) === 'more');
        await actor.settle()
      } while ((await actor.turn()) === 'more')
      await actor.settle()
    }
    const stop = async () => {
      await actor.settle()
      await close()
    }
    const staged = { ...actor, work, stop }
    actors.push(staged)
    return staged
  }

  return {
    database,
    sql,
    keys,
    lines,
    clock: {
      now: clock,
      advance: (seconds) => {
        now = new Date(now.getTime() + seconds * 1000)
      },
    },
    startActor,
    addWebhook: async (url, columns = {}) => {
      const secret = createWebhookSecret()
      const id = newId('wh', now.getTime())
      const row = {
        ...{ id, url, organization_id: 'org_one', environment: 'live', events: ['*'], event_categories: [] },
        ...{ exclude_events: [], secret_sealed: seal(keys.publicKey, secret), secret_hint: getHint(secret) },
        ...columns,
      }
      await database.sql`insert into webhooks ${database.sql(row)}`
      return { id, secret }
    },
    appendEvent: async ({
      type = 'charge.confirmed',
      chargeId = null,
      environment = 'live',
      data = '{}',
    } = {}) => {
      const id = newId('evt', now.getTime())
      const event = {
        id,
        category: EVENT_CATEGORY[type],
        type,
        organizationId: 'org_one',
        environment,
        chargeId,
      }
      await appendEvents(sql, [{ ...event, data, createdAt: now }])
      return id
    },
    addCharge: () => addCharge(database.sql),
    listDeliveries: async (webhookId) =>
      await database.sql<StagedDelivery[]>`
      select d.public_id, d.webhook_id, e.type, d.status, d.attempts, d.response_code, d.response_excerpt,
        d.last_error, d.next_attempt_at, d.leased_until
      from deliveries d join events e on e.number = d.event_number
      where ${webhookId ?? null}::text is null or d.webhook_id = ${webhookId ?? null}
      order by d.id`,
    listSignals: async () => {
      const rows = await database.sql<{ type: string }[]>`
        select type from events where category = 'webhooks' order by number`
      return rows.map(({ type }) => type)
    },
    fulfil: () => processWebhookRequests({ sql, clock, log, onDue: () => {} }),
    metricsText: () => registry.metrics(),
    stop: async () => {
      for (const actor of actors) await actor.stop()
      await sql.end()
      await database.drop()
    },
  }
}

async function addCharge(sql: Sql): Promise<string> {
  const id = newId('ch', Date.now())
  const address = `0x${Buffer.from(id).toString('hex').slice(-40)}`
  const terms = chargeTerms({ id, address, split_address: address })
  await sql`
    insert into charges (id, organization_id, environment, family, amount_micro, fee_payer, fee_percent,
      accepted_payments, accepted_chains, address, split_address, split_terms, split_recipients, request_hash,
      created_at, expires_at, last_activity_at)
    select id, organization_id, environment, family, amount_micro, fee_payer, fee_percent, accepted_payments,
      '{8453}', address, split_address, split_terms, split_recipients, request_hash, created_at, expires_at, created_at
    from jsonb_populate_record(null::charges, ${sql.json(terms as never)})`
  return id
}
