import type { Context } from 'koa'
import { Counter, Gauge } from 'prom-client'
import type { Sql } from '../../shared/db/connect.ts'
import { findRevokedKeys } from '../../shared/db/organizations/api/authenticate.ts'
import { AppError } from '../../shared/domain/errors.ts'
import type { Metrics } from '../../shared/runtime/metrics.ts'
import type { ResponseBuffers } from '../http/response-buffers.ts'
import { type EventStream, HEARTBEAT, openEventStream } from './event-stream.ts'

/** A key, address, charge or visitor, and the maximum number of its streams in this process, on all endpoints. */
export type StreamOwner = {
  readonly kind: HolderKind
  readonly id: string
  readonly max: number
  /** A holder with its own maximum. Until it is full, new streams count towards it instead of this holder. */
  readonly besides?: StreamOwner
}

/** A visitor is one address on the page of one charge. */
type HolderKind = 'key' | 'address' | 'charge' | 'visitor'

/** All event streams of this process. */
export type OpenStreams = {
  /** Opens a stream; throws `sse_capacity` if any holder has reached its maximum, or the process is shutting down. */
  readonly open: (ctx: Context, holders: readonly StreamOwner[]) => EventStream
  /** Writes heartbeats, and ends streams that exceed the maximum duration. */
  readonly sweep: () => void
  /** Ends the streams of keys that no longer authenticate. */
  readonly endRevoked: () => Promise<void>
  readonly endAll: () => void
}

/** Value of `Retry-After` for a rejected stream. Every stream has a maximum duration, so one of many ends soon. */
const RETRY_AFTER_SECONDS = 10

type Deps = { readonly sql: Sql; readonly readers: ResponseBuffers; readonly metrics: Metrics }

type ByHolder = Map<string, Set<EventStream>>

/** Creates the registry of open streams. */
export function createOpenStreams(
  { sql, readers, metrics }: Deps,
  limits: { readonly maxDurationMs: number },
): OpenStreams {
  const all = new Set<EventStream>()
  const held: Readonly<Record<HolderKind, ByHolder>> = {
    key: new Map(),
    address: new Map(),
    charge: new Map(),
    visitor: new Map(),
  }
  let isClosed = false
  const rejected = new Counter({
    name: 'http_streams_rejected_total',
    help: 'Event streams rejected because their key, address or charge had too many open in this process',
    labelNames: ['limit'],
    registers: [metrics],
  })
  metrics.registerMetric(
    new Gauge({
      name: 'http_open_streams',
      help: 'Open event streams',
      registers: [],
      collect() {
        this.set(all.size)
      },
    }),
  )

  const isFull = ({ kind, id, max }: StreamOwner): boolean => (held[kind].get(id)?.size ?? 0) >= max

  function open(ctx: Context, limits: readonly StreamOwner[]): EventStream {
    const holders = limits.map((holder) =>
      holder.besides && !isFull(holder.besides) ? holder.besides : holder,
    )
    const full = holders.find(isFull)
    if (full) {
      rejected.inc({ limit: full.kind })
      throw createCapacityError(
        ctx,
        `this ${NAMES[full.kind]} has reached the maximum of ${full.max} open streams`,
      )
    }
    if (isClosed) throw createCapacityError(ctx, 'this process is shutting down; reconnect')
    const stream = openEventStream(ctx, readers)
    all.add(stream)
    for (const { kind, id } of holders) hold(held[kind], id, stream)
    stream.onClose(() => {
      all.delete(stream)
      for (const { kind, id } of holders) release(held[kind], id, stream)
    })
    return stream
  }

  function sweep(): void {
    const nowMs = Date.now()
    for (const stream of all) {
      if (nowMs - stream.openedAtMs >= limits.maxDurationMs) stream.end()
      else if (!stream.isCongested()) stream.send(HEARTBEAT)
    }
  }

  async function endRevoked(): Promise<void> {
    if (held.key.size === 0) return
    for (const keyId of await findRevokedKeys(sql, [...held.key.keys()])) {
      held.key.get(keyId)?.forEach((stream) => stream.end())
    }
  }

  function endAll(): void {
    isClosed = true
    for (const stream of all) stream.end()
  }

  return { open, sweep, endRevoked, endAll }
}

const NAMES: Readonly<Record<HolderKind, string>> = {
  key: 'API key',
  address: 'address',
  charge: 'charge',
  visitor: 'address',
}

function hold(holders: ByHolder, id: string, stream: EventStream): void {
  const streams = holders.get(id) ?? new Set()
  holders.set(id, streams.add(stream))
}

function release(holders: ByHolder, id: string, stream: EventStream): void {
  const streams = holders.get(id)
  streams?.delete(stream)
  if (streams?.size === 0) holders.delete(id)
}

function createCapacityError(ctx: Context, message: string): AppError {
  ctx.set('Retry-After', String(RETRY_AFTER_SECONDS))
  return new AppError('sse_capacity', message)
}
