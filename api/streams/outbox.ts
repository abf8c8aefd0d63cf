import type { EventStream } from './event-stream.ts'

/** What one stream has yet to be sent: each event once, in order, and no faster than its client reads. */
export type Outbox = {
  /** Sends an event of the past; resolves when the client can take the next one, or is gone. */
  readonly send: (frame: NumberedFrame) => Promise<void>
  /** Keeps a new event until all before it are sent; cuts off a client for whom too many wait. */
  readonly push: (frame: NumberedFrame) => void
  /** Says that nothing of the past is left: what is kept goes out as the client reads. */
  readonly goLive: () => void
}

/** An event as it is written, and its number. */
export type NumberedFrame = { readonly seq: number; readonly text: string }

/** Ten turns of the hub; the frames are shared by all streams of a scope. */
export const MAX_KEPT = 10_000

/**
 * Makes the outbox of a stream that has been sent everything up to `after`.
 *
 * It asks whether the stream is congested before each frame, and never cuts off a client for what is merely written:
 * Node holds back everything that is written in one go, so that even the fastest client has it all unread for a moment.
 */
export function createOutbox(stream: EventStream, after: number): Outbox {
  const kept: NumberedFrame[] = []
  let sent = after
  let isLive = false
  let proceed = (): void => undefined

  function write({ seq, text }: NumberedFrame): void {
    if (seq <= sent) return
    sent = seq
    stream.send(text)
  }

  function flush(): void {
    if (!isLive) return
    while (!stream.isCongested()) {
      const next = kept.shift()
      if (next === undefined) return
      write(next)
    }
  }

  stream.onDrain(() => {
    proceed()
    flush()
  })
  stream.onClose(() => proceed())

  return {
    send: async (frame) => {
      write(frame)
      if (!stream.isCongested()) return
      await new Promise<void>((resolve) => {
        proceed = resolve
      })
    },
    push: (frame) => {
      if (kept.push(frame) > MAX_KEPT) stream.cut()
      else flush()
    },
    goLive: () => {
      isLive = true
      flush()
    },
  }
}
