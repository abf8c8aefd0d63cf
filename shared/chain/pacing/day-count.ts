const HOUR_MS = 3_600_000
const HOURS = 24

/** Creates a counter of the requests in the current hour and the 24 hours before it. */
export function createDayCount() {
  let hours: readonly { readonly hour: number; readonly requests: number }[] = []

  return {
    add: (nowMs: number) => {
      const hour = Math.floor(nowMs / HOUR_MS)
      const last = hours.at(-1)
      const before = last?.hour === hour ? hours.slice(0, -1) : hours
      const requests = last?.hour === hour ? last.requests + 1 : 1
      hours = [...before.slice(-HOURS), { hour, requests }]
    },
    count: (nowMs: number): number =>
      hours
        .filter(({ hour }) => hour >= Math.floor(nowMs / HOUR_MS) - HOURS)
        .reduce((sum, { requests }) => sum + requests, 0),
  }
}
