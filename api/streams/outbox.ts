import type { EventStream } from './event-stream.ts'

/** What one stream has yet to be sent: each event once, in order, and no faster than its client reads. */
export type Outbox = {
  /** Sends an event of the past; resolves when the client can take the next one, or is gone. */
  readonly send: (frame: NumberedFrame) => Promise<void>
  /** Keeps a new event until all before it are sent; cuts off a client for whom too much waits. */
  readonly push: (frame: NumberedFrame) => void
}

/** An event as it is written, and its number. */
export type NumberedFrame = { readonly seq: number; readonly bytes: Buffer }

/** Ten turns of the hub; the frames are shared by all streams of a scope. */
export const MAX_KEPT = 10_000

/**
 * Makes the outbox of a stream that has been sent everything up to `after`.
 *
 * It asks whether the stream is congested before each frame, and never cuts off a client for what is merely written:
 * Node holds back everything that is written in one go, so that even the fastest client has it all unread for a moment.
 * Whoever is cut off for what is kept has lost nothing: he comes back, and is sent it from where he was.
 *
 * @param options.maxBytes - of what is kept; what one client reads slowly is no reason to hold much for it
 */
export function createOutbox(
  stream: EventStream,
  options: { readonly after: number; readonly maxBytes: number },
): Outbox {
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
      if (kept.push(frame) > MAX_KEPT || keptBytes > options.maxBytes) stream.cut()
      else flush()
    },
  }
}
