import type { Context } from 'koa'
import type { StaleAfter } from '../../shared/db/chain-facts/stale.ts'
import type { Sql } from '../../shared/db/connect.ts'
import { findLastSeq, listEventsAfter } from '../../shared/db/events/api/events-read.ts'
import { listen } from '../../shared/db/listen.ts'
import type { ChargeRecord } from '../../shared/domain/charge.ts'
import type { Environment } from '../../shared/domain/networks.ts'
import type { Tenant } from '../../shared/domain/tenant.ts'
import type { ApiConfig } from '../../shared/runtime/api-config.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import type { Metrics } from '../../shared/runtime/metrics.ts'
import { createLoop } from '../../shared/runtime/poll-loop.ts'
import type { ResponseBuffers } from '../http/response-buffers.ts'
import { createChargeFeed } from './charge-feed.ts'
import { createDistributionFeed } from './distribution-feed.ts'
import type { EventStream } from './event-stream.ts'
import { createOpenStreams } from './open-streams.ts'
import { createPageFeed, type PageState } from './page-feed.ts'
import { createStreamIds, type StreamIds } from './stream-ids.ts'
import { createWebhookFeed } from './webhook-feed.ts'

/** Opens and feeds all event streams of this process. */
export type StreamHub = {
  readonly start: () => Promise<void>
  readonly stop: () => Promise<void>
  /** Ends every stream and opens no new streams. Clients receive missed updates when they reconnect. */
  readonly endStreams: () => void
  /** Opens a stream for this key; throws `sse_capacity`. */
  readonly open: (ctx: Context, keyId: string) => EventStream
  /** Opens a stream for a payer's page, within the limits of the address and the charge; throws `sse_capacity`. */
  readonly openPage: (ctx: Context, of: { address: string; chargeId: string }) => EventStream
  /** Sends the state of a charge's page, then each newer state; with `isShort` only the revision of each state. */
  readonly followPage: (chargeId: string, stream: EventStream, options: { readonly isShort: boolean }) => void
  /** Sends the current charge, then each newer state of it. */
  readonly followCharge: (chargeId: string, stream: EventStream) => void
  /** Sends the keeper feed's events with numbers above `after`. */
  readonly followDistributions: (
    stream: EventStream,
    from: { environment: Environment; after: number },
  ) => Promise<void>
  /** Sends a tenant's webhook events with numbers above `after`. */
  readonly followWebhookEvents: (
    stream: EventStream,
    from: { tenant: Tenant; after: number },
  ) => Promise<void>
  /** Returns the highest event number that the hub has read. */
  readonly lastSeq: () => number
  readonly ids: StreamIds
}

type Deps = {
  readonly sql: Sql
  readonly log: Logger
  readonly readers: ResponseBuffers
  readonly metrics: Metrics
  readonly config: Pick<ApiConfig, 'streams' | 'cursorSecrets'> & { readonly staleAfter: StaleAfter }
  readonly present: (charge: ChargeRecord) => string
  /** Reads the current state of the payers' pages of these charges. */
  readonly readPages: (chargeIds: readonly string[]) => Promise<ReadonlyMap<string, PageState>>
}

/**
 * Time between polls. A poll refreshes confirmations in case a notification was lost, refreshes some other pages, and
 * ends the streams of revoked keys.
 */
const POLL_MS = 2000

/**
 * Maximum time between turns. No notification announces that a network has become stale, and pages must show this
 * within a second.
 */
const TURN_MS = 1000

/**
 * Streams that each address may have per charge even if the charge has reached its maximum: a payer's tab, and a
 * previous tab that is still closing.
 */
const OWN_STREAMS = 2

/** Events read in one statement. */
const BATCH_EVENTS = 1000

/**
 * Creates the hub: one loop, woken by notifications, that reads the events numbered by the daemon.
 *
 * The daemon numbers only committed events, in order. So the hub never misses an event with a lower number than it has
 * read, even if connections or notifications were lost.
 */
export function createStreamHub({ sql, log, readers, metrics, config, ...read }: Deps): StreamHub {
  const ids = createStreamIds(config.cursorSecrets)
  const streams = createOpenStreams({ sql, readers, metrics }, config.streams)
  const charges = createChargeFeed({ sql, ids, present: read.present })
  const pages = createPageFeed({ sql, ids, staleAfter: config.staleAfter, readPages: read.readPages })
  const { maxUnreadBytes } = config.streams
  const distributions = createDistributionFeed({ sql, ids, maxUnreadBytes })
  const webhookEvents = createWebhookFeed({ sql, ids, maxUnreadBytes })
  const listeners: { stop: () => Promise<void> }[] = []
  let heartbeat: NodeJS.Timeout | undefined
  let lastSeq = 0
  let headsMoved = false
  let polledAtMs = 0

  async function turn(): Promise<'more' | 'idle'> {
    const isPoll = Date.now() - polledAtMs >= POLL_MS
    const progress = headsMoved || isPoll
    headsMoved = false
    const events = await listEventsAfter(sql, { seq: lastSeq, limit: BATCH_EVENTS })
    lastSeq = events.at(-1)?.seq ?? lastSeq
    // Publish and mark before any step that can fail, because no later turn reads these events again.
    distributions.publish(events, lastSeq)
    const changed = events.flatMap(({ category, chargeId }) =>
      CHARGE_CATEGORIES.has(category) ? (chargeId ?? []) : [],
    )
    charges.markChanged(changed)
    pages.markChanged(changed)
    // This feed reads its events itself. If that fails, the next turn continues after the last published event.
    await webhookEvents.publish(lastSeq)
    await charges.refresh({ progress })
    const pagesLeft = await pages.refresh({ progress, isPoll })
    if (isPoll) {
      await streams.endRevoked()
      polledAtMs = Date.now()
    }
    return events.length === BATCH_EVENTS ? 'more' : pagesLeft
  }

  const loop = createLoop({ name: 'streams', intervalMs: TURN_MS, maxBackoffMs: POLL_MS, turn, log })

  return {
    start: async () => {
      lastSeq = await findLastSeq(sql)
      distributions.publish([], lastSeq)
      webhookEvents.start(lastSeq)
      const wake = { onNotification: () => loop.wake(), onListening: () => loop.wake() }
      listeners.push(await listen(sql, 'svc_events', wake))
      listeners.push(await listen(sql, 'svc_pairs', wake))
      listeners.push(
        await listen(sql, 'svc_heads', {
          ...wake,
          onNotification: () => {
            headsMoved = true
            loop.wake()
          },
        }),
      )
      heartbeat = setInterval(streams.sweep, config.streams.heartbeatMs)
      loop.start()
    },
    stop: async () => {
      clearInterval(heartbeat)
      streams.endAll()
      await loop.stop()
      await Promise.allSettled(listeners.splice(0).map((listener) => listener.stop()))
    },
    endStreams: streams.endAll,
    open: (ctx, keyId) => streams.open(ctx, [{ kind: 'key', id: keyId, max: config.streams.maxPerKey }]),
    openPage: (ctx, { address, chargeId }) =>
      streams.open(ctx, [
        { kind: 'address', id: address, max: config.streams.maxPerAddress },
        {
          ...{ kind: 'charge', id: chargeId, max: config.streams.maxPerCharge },
          besides: { kind: 'visitor', id: `${address} ${chargeId}`, max: OWN_STREAMS },
        },
      ]),
    followPage: (chargeId, stream, options) => {
      pages.follow(chargeId, stream, options)
      loop.wake()
    },
    followCharge: (chargeId, stream) => {
      charges.follow(chargeId, stream)
      loop.wake()
    },
    followDistributions: (stream, { environment, after }) =>
      distributions.follow({ stream, environment, after }),
    followWebhookEvents: (stream, { tenant, after }) => webhookEvents.follow({ stream, tenant, after }),
    lastSeq: () => lastSeq,
    ids,
  }
}

/** Categories of events that change a charge. `webhooks` events concern deliveries only. */
const CHARGE_CATEGORIES: ReadonlySet<string> = new Set(['payments', 'internal'])
