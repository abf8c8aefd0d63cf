import { Counter, Gauge } from 'prom-client'
import type { Metrics } from '../../shared/runtime/metrics.ts'

/** Counts the unread bytes of all responses and streams of this process. */
export type ResponseBuffers = {
  /** Starts to count one response or stream of a holder. `cut` must end the response immediately. */
  readonly open: (holder: ReaderHolder, cut: () => void) => Reader
}

/** Holder of a response: the key of the request, or the client address of a request without a key. */
export type ReaderHolder = { readonly kind: 'key' | 'address'; readonly id: string }

/** One response or stream whose client reads at its own pace. */
export type Reader = {
  /** Sets the number of unsent bytes. Cuts off readers while a maximum is exceeded. */
  readonly hold: (bytes: number) => void
  /** Ends the count of this response or stream. */
  readonly close: () => void
}

/** Share of the maximum for all addresses, so that clients without a key cannot cut off a key's response. */
const ADDRESSES_SHARE = 1 / 2

/** Share of the maximum for one address: enough for several large pages that an office reads slowly. */
const ADDRESS_SHARE = 1 / 8

type Held = { readonly kind: ReaderHolder['kind']; readonly readers: Map<() => void, number>; bytes: number }

/**
 * Creates the count of unread bytes of a process.
 *
 * A limit per reader is not enough: a thousand readers with a megabyte each hold a gigabyte. Above a maximum, cuts off
 * the largest reader of an address above its share, otherwise of the holder with the most bytes. The largest of all
 * readers would often be a merchant's list.
 */
export function createReaders({
  maxBytes,
  metrics,
}: {
  maxBytes: number
  metrics: Metrics
}): ResponseBuffers {
  const holders = new Map<string, Held>()
  const totals = { key: 0, address: 0 }
  const shed = new Counter({
    name: 'http_slow_clients_disconnected_total',
    help: 'Responses and streams cut off because their holder or all together had too many unread bytes',
    registers: [metrics],
  })
  metrics.registerMetric(
    new Gauge({
      name: 'http_buffered_response_bytes',
      help: 'Bytes of responses and streams that are not sent yet because the client has not read the bytes before them',
      registers: [],
      collect() {
        this.set(totals.key + totals.address)
      },
    }),
  )

  function set(holder: ReaderHolder, cut: () => void, bytes: number): void {
    const name = toHolderName(holder)
    const { kind } = holder
    const held: Held = holders.get(name) ?? { kind, readers: new Map(), bytes: 0 }
    const change = bytes - (held.readers.get(cut) ?? 0)
    held.bytes += change
    totals[kind] += change
    if (bytes === 0) held.readers.delete(cut)
    else held.readers.set(cut, bytes)
    if (held.readers.size === 0) holders.delete(name)
    else holders.set(name, held)
  }

  /** Finds the holder whose readers must be cut off; `null` if no maximum is exceeded. */
  function findExcess(changed: ReaderHolder): Held | null {
    const held = holders.get(toHolderName(changed))
    if (held?.kind === 'address' && held.bytes > maxBytes * ADDRESS_SHARE) return held
    if (totals.address > maxBytes * ADDRESSES_SHARE)
      return findLargest([...holders.values()].filter(isAddress))
    return totals.key + totals.address > maxBytes ? findLargest([...holders.values()]) : null
  }

  function shedExcess(changed: ReaderHolder): void {
    for (let held = findExcess(changed); held !== null; held = findExcess(changed)) {
      const [cut] = [...held.readers].reduce((most, one) => (one[1] > most[1] ? one : most))
      shed.inc()
      cut()
    }
  }

  return {
    open: (holder, end) => {
      let isOpen = true
      const close = (): void => {
        isOpen = false
        set(holder, cut, 0)
      }
      const cut = (): void => {
        close()
        end()
      }
      return {
        hold: (bytes) => {
          if (isOpen) set(holder, cut, bytes)
          shedExcess(holder)
        },
        close,
      }
    },
  }
}

function toHolderName({ kind, id }: ReaderHolder): string {
  return `${kind}:${id}`
}

function isAddress({ kind }: Held): boolean {
  return kind === 'address'
}

function findLargest(held: readonly Held[]): Held | null {
  return held.reduce<Held | null>((most, one) => (most === null || one.bytes > most.bytes ? one : most), null)
}
