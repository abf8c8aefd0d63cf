import type { Context } from 'koa'
import type { Sql } from '../../shared/db/connect.ts'
import { findStoppedKeys } from '../../shared/db/organizations/stopped-keys.ts'
import { AppError } from '../../shared/domain/errors.ts'
import type { Readers } from '../readers.ts'
import { type EventStream, HEARTBEAT, openEventStream } from './event-stream.ts'

/** All event streams of this process. */
export type OpenStreams = {
  /** Opens one more for this key; throws `sse_capacity` beyond its limit. */
  readonly open: (ctx: Context, keyId: string) => EventStream
  /** Writes heartbeats, and ends the streams that are too old. */
  readonly sweep: () => void
  /** Ends the streams of keys that no longer authenticate. */
  readonly endRevoked: () => Promise<void>
  readonly endAll: () => void
}

/** One stream always ends soon enough to make this worth a try: clients reconnect every few hours at most. */
const RETRY_AFTER_SECONDS = 10

type Deps = { readonly sql: Sql; readonly readers: Readers }

/** Makes the registry; `maxPerKey` counts the streams of all endpoints together. */
export function createOpenStreams(
  { sql, readers }: Deps,
  limits: { readonly maxPerKey: number; readonly maxDurationMs: number; readonly heartbeatMs: number },
): OpenStreams {
  const streamsOfKey = new Map<string, Set<EventStream>>()
  let isClosed = false

  function open(ctx: Context, keyId: string): EventStream {
    const count = streamsOfKey.get(keyId)?.size ?? 0
    if (isClosed || count >= limits.maxPerKey) throw refuse(ctx, count)
    const stream = openEventStream(ctx, readers)
    const streams = streamsOfKey.get(keyId) ?? new Set()
    streamsOfKey.set(keyId, streams.add(stream))
    stream.onClose(() => {
      streams.delete(stream)
      if (streams.size === 0 && streamsOfKey.get(keyId) === streams) streamsOfKey.delete(keyId)
    })
    return stream
  }

  function sweep(): void {
    const nowMs = Date.now()
    for (const stream of allOf(streamsOfKey)) {
      if (nowMs - stream.openedAtMs >= limits.maxDurationMs) stream.end()
      else if (!stream.isCongested()) stream.send(HEARTBEAT)
    }
  }

  async function endRevoked(): Promise<void> {
    if (streamsOfKey.size === 0) return
    for (const keyId of await findStoppedKeys(sql, [...streamsOfKey.keys()])) {
      streamsOfKey.get(keyId)?.forEach((stream) => stream.end())
    }
  }

  function endAll(): void {
    isClosed = true
    for (const stream of allOf(streamsOfKey)) stream.end()
  }

  return { open, sweep, endRevoked, endAll }
}

function allOf(streamsOfKey: ReadonlyMap<string, ReadonlySet<EventStream>>): readonly EventStream[] {
  return [...streamsOfKey.values()].flatMap((streams) => [...streams])
}

function refuse(ctx: Context, count: number): AppError {
  ctx.set('Retry-After', String(RETRY_AFTER_SECONDS))
  return new AppError('sse_capacity', `this API key has ${count} streams open here, which is all it can`)
}
