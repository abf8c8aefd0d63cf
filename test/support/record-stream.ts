import type { EventStream } from '../../api/streams/event-stream.ts'

/** Creates a stream whose client reads everything immediately. Calls `onFrame` with each frame. */
export function recordStream(onFrame: (frame: string) => void): EventStream {
  return {
    ...{ openedAtMs: 0, send: (frame) => onFrame(String(frame)), isCongested: () => false },
    ...{ onDrain: () => undefined, onClose: () => undefined, holdBack: () => undefined },
    ...{ end: () => undefined, cut: () => undefined },
  }
}

/** Returns a field of a frame, such as `event`; empty if the frame has none. */
export function fieldOf(frame: string, field: 'event' | 'data'): string {
  return new RegExp(`^${field}: (.*)$`, 'm').exec(frame)?.[1] ?? ''
}
