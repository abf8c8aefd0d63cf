/** An IANA time zone. */
export type TimeZone = {
  readonly name: string
  /** Formats the date of a time in this zone, such as `2026-11-02`. */
  readonly formatDate: (time: Date) => string
  /** Formats a time with its offset, such as `2026-11-02T10:00:00+01:00`. */
  readonly formatTime: (time: Date) => string
  /** Returns the first moment of a day: midnight, or the next time that exists if the clocks skip midnight. */
  readonly startOfDay: (date: string) => Date
}

/**
 * Period in which a zone's offset is constant. Modern zones change their offset only at full quarters of an hour UTC.
 */
const OFFSET_PERIOD_MS = 15 * 60_000
const MINUTE_MS = 60_000

/** Form of a zone's name. It excludes offsets such as `+01:00`, which do not follow daylight saving time. */
const NAME = /^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+)*$/

/** Returns the zone, or `null` if Node does not support the name. */
export function findTimeZone(name: string): TimeZone | null {
  if (!NAME.test(name)) return null
  try {
    return createTimeZone(name)
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

function createTimeZone(name: string): TimeZone {
  const readOffset = createOffsetReader(name)
  // An export formats its entries in the order of time, so it is enough to cache the last period.
  let period = Number.NaN
  let offsetMs = 0

  function findOffset(ms: number): number {
    const current = Math.floor(ms / OFFSET_PERIOD_MS)
    if (current === period) return offsetMs
    period = current
    offsetMs = readOffset(ms)
    return offsetMs
  }

  const toLocal = (time: Date) => new Date(time.getTime() + findOffset(time.getTime())).toISOString()

  return {
    name,
    formatDate: (time) => toLocal(time).slice(0, 10),
    formatTime: (time) => `${toLocal(time).slice(0, 19)}${formatOffset(findOffset(time.getTime()))}`,
    startOfDay: (date) => {
      const localMs = Date.parse(`${date}T00:00:00Z`)
      // Guess with the offset of the day before. The offset at that guess differs if the clocks changed in between.
      const guessMs = localMs - findOffset(localMs - 24 * 60 * MINUTE_MS)
      const start = new Date(localMs - findOffset(guessMs))
      return toLocal(start) < date ? new Date(guessMs) : start
    },
  }
}

/** Creates the function that returns the zone's offset from UTC, in milliseconds, at a Unix time in milliseconds. */
function createOffsetReader(timeZone: string): (ms: number) => number {
  const format = new Intl.DateTimeFormat('en-US', {
    ...{ timeZone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric' },
    ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
  })
  return (ms) => {
    const parts = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]))
    const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0 } = parts
    return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(ms / 1000) * 1000
  }
}

function formatOffset(offsetMs: number): string {
  const minutes = Math.abs(offsetMs) / MINUTE_MS
  const [hours, rest] = [Math.floor(minutes / 60), Math.floor(minutes % 60)]
  return `${offsetMs < 0 ? '-' : '+'}${String(hours).padStart(2, '0')}:${String(rest).padStart(2, '0')}`
}
