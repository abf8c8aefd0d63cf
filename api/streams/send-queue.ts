import type { EventStream } from './event-stream.ts'

/**
 * The events that one stream has not received yet. The queue sends each event once, in order, and no faster than the
 * client reads.
 */
export type SendQueue = {
  /** Sends a past event. Resolves when the client can receive the next event or has disconnected. */
  readonly send: (frame: NumberedFrame) => Promise<void>
  /** Queues a new event until all previous events are sent. Closes the connection if the queue exceeds a limit. */
  readonly push: (frame: NumberedFrame) => void
}

/** An encoded event and its number. */
export type NumberedFrame = { readonly seq: number; readonly bytes: Buffer }

/**
 * Maximum events in a queue: ten full batches of the hub. All streams of a scope share the frames, so a queue holds
 * only references.
 */
export const MAX_QUEUED = 10_000

/**
 * Creates the queue of a stream whose client has received every event up to `after`.
 *
 * Only queued events count towards the limits. Written bytes do not, because Node buffers them, so even the fastest
 * client has unread bytes for a moment. A disconnected client loses no events, because it resumes from its last event.
 */
export function createSendQueue(
  stream: EventStream,
  options: { readonly after: number; readonly maxBytes: number },
): SendQueue {
  const kept: NumberedFrame[] = []
  let keptBytes = 0
  let sent = options.after
  let proceed = (): void => undefined

  function write({ seq, bytes }: NumberedFrame): void {
    if (seq <= sent) return
    sent = seq
    stream.send(bytes)
  }

  function flush(): void {
    while (!stream.isCongested()) {
      const next = kept.shift()
      if (next === undefined) break
      keptBytes -= next.bytes.length
      write(next)
    }
    stream.holdBack(keptBytes)
  }

  stream.onDrain(() => {
    proceed()
    flush()
  })
  stream.onClose(() => {
    kept.length = 0
    keptBytes = 0
    proceed()
  })

  return {
    send: async (frame) => {
      write(frame)
      if (!stream.isCongested()) return
      await new Promise<void>((resolve) => {
        proceed = resolve
      })
    },
    push: (frame) => {
      keptBytes += frame.bytes.length
      if (kept.push(frame) > MAX_QUEUED || keptBytes > options.maxBytes) stream.cut()
      else flush()
    },
  }
}
