import { Counter, Gauge } from 'prom-client'
import type { Metrics } from '../shared/runtime/metrics.ts'

/** What all answers and streams of this process hold that their clients have not read. */
export type Readers = {
  /** Begins to count for one answer or stream; `cut` must end it at once. */
  readonly open: (cut: () => void) => Reader
}

/** One answer or stream whose client reads at a pace of its own. */
export type Reader = {
  /** Says how many bytes it holds now; whoever holds most is cut off if all hold too much together. */
  readonly hold: (bytes: number) => void
  /** Says that it is over, and holds nothing. */
  readonly close: () => void
}

/**
 * Makes the count of a process.
 *
 * A bound on each reader alone would not do: a thousand that are each allowed a megabyte are a gigabyte. The largest is
 * cut off first, because one that rests costs as much as many that read.
 */
export function createReaders({ maxBytes, metrics }: { maxBytes: number; metrics: Metrics }): Readers {
  const held = new Map<() => void, number>()
  let total = 0
  const shed = new Counter({
    name: 'http_readers_shed_total',
    help: 'Answers and streams cut off because all held too many unread bytes together',
    registers: [metrics],
  })
  metrics.registerMetric(
    new Gauge({
      name: 'http_unread_bytes',
      help: 'Bytes of answers and streams that their clients have yet to read',
      registers: [],
      collect() {
        this.set(total)
      },
    }),
  )

  function set(cut: () => void, bytes: number): void {
    total += bytes - (held.get(cut) ?? 0)
    if (bytes === 0) held.delete(cut)
    else held.set(cut, bytes)
  }

  const isTooMuch = (): boolean => total > maxBytes

  function shedLargest(): void {
    const [largest] = [...held].reduce((most, one) => (one[1] > most[1] ? one : most))
    set(largest, 0)
    shed.inc()
    largest()
  }

  return {
    open: (end) => {
      let isOpen = true
      const cut = (): void => {
        isOpen = false
        end()
      }
      return {
        hold: (bytes) => {
          if (isOpen) set(cut, bytes)
          while (isTooMuch()) shedLargest()
        },
        close: () => {
          isOpen = false
          set(cut, 0)
        },
      }
    },
  }
}
