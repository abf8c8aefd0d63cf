import type { EventStream } from './event-stream.ts'

/**
 * The events that one stream has not received yet. The queue sends each event once, in order, and no faster than the
 * client reads.
 */
export type SendQueue = {
  /** Sends a past event. Resolves when the client can receive the next event or has disconnected. */
  readonly send: (frame: NumberedFrame) => Promise<void>
  /** Queues a new event until all events before it are sent. Cuts off the client if the queue exceeds a limit. */
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
 * Creates the queue of a stream that has received everything up to `after`.
 *
 * The queue checks for congestion before each frame, and never cuts off a client because of written bytes: Node buffers
 * everything that is written, so for a moment even the fastest client has unread bytes. A client that is cut off for
 * queued events loses none of them. It reconnects and resumes from its last event.
 *
 * @param options.maxBytes - maximum bytes in the queue, so that one slow client does not use much memory
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
