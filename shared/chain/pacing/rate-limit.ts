/**
 * Creates the limit of requests per second, as a number of slots. A request holds its slot until a second after its
 * response. If the limit is not an integer, the slots are its integer part, at least one, and the time for which each
 * is held is adjusted so that the average rate is the limit.
 *
 * With an integer limit, the node therefore never counts more requests in a second than the limit, regardless of when
 * its windows begin and of the latency of the requests. A higher latency of the node lowers the rate that is reached.
 */
export function createRateLimit(perSecond: number) {
  const slots = Math.max(1, Math.floor(perSecond))
  const restMs = (slots / perSecond) * 1_000
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
    /** Returns the time at which a slot is free; infinity if a response must arrive first. */
    getReadyAtMs: (nowMs: number) => {
      while ((restingUntilMs[0] ?? nowMs + 1) <= nowMs) restingUntilMs.shift()
      if (sent + restingUntilMs.length < slots) return nowMs
      return restingUntilMs[0] ?? Number.POSITIVE_INFINITY
    },
  }
}
