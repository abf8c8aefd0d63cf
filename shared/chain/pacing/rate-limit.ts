/**
 * Creates a limit on requests per second, implemented as slots. A request holds its slot until one second after its
 * response. A fractional limit adds a slot that is held for longer: with a limit of 2.5, two slots are held for one
 * second, and a third for two seconds.
 *
 * In any N seconds, the node therefore counts at most N times the limit, rounded up, whenever its windows begin and
 * whatever the latency. The higher the node's latency, the lower the achieved rate.
 */
export function createRateLimit(perSecond: number) {
  const whole = Math.floor(perSecond + ROUNDING)
  const fraction = perSecond - whole
  const groups = [
    ...(whole > 0 ? [createSlots(whole, 1_000)] : []),
    ...(fraction > ROUNDING ? [createSlots(1, 1_000 / fraction)] : []),
  ]

  return {
    /** Takes a slot, which must be free. Returns a function that the caller must call with the time of the response. */
    start: (nowMs: number): ((endMs: number) => void) => {
      const group = groups.find(({ getReadyAtMs }) => getReadyAtMs(nowMs) <= nowMs) ?? groups[0]
      group?.start()
      return (endMs) => group?.end(endMs)
    },
    /** Returns the time at which a slot is free, at the earliest `nowMs`; infinity if a response must arrive first. */
    getReadyAtMs: (nowMs: number) => Math.min(...groups.map(({ getReadyAtMs }) => getReadyAtMs(nowMs))),
  }
}

/** Tolerance, because products of fractions are inexact: a share of 7 % of 100 is slightly above 7. */
const ROUNDING = 1e-9

/** Creates slots, each of which is held until `restMs` after the response. */
function createSlots(count: number, restMs: number) {
  const restingUntilMs: number[] = []
  let sent = 0

  return {
    start: () => {
      sent += 1
    },
    end: (nowMs: number) => {
      sent -= 1
      restingUntilMs.push(nowMs + restMs)
    },
    getReadyAtMs: (nowMs: number) => {
      while ((restingUntilMs[0] ?? nowMs + 1) <= nowMs) restingUntilMs.shift()
      if (sent + restingUntilMs.length < count) return nowMs
      return restingUntilMs[0] ?? Number.POSITIVE_INFINITY
    },
  }
}
