import type { SwapProvider } from './provider.ts'

/** So many outages in a row, and nobody waits for the provider any more. */
const MAX_OUTAGES = 5
const OPEN_MS = 30_000

/**
 * Spares payers the wait for a provider that is out of order: after five outages in a row it is not asked for 30 s, and
 * then a single outage more is enough.
 *
 * @param nowMs - milliseconds that only grow
 */
export function breakCircuit(provider: SwapProvider, nowMs: () => number): SwapProvider {
  let outages = 0
  let openUntilMs = 0
  return {
    ...provider,
    quoteExactOut: async (ask, signal) => {
      if (nowMs() < openUntilMs) {
        const reason = `was out of order ${outages} times in a row and is not asked for now`
        return { ok: false, id: null, reason, isOutage: false }
      }
      const answer = await provider.quoteExactOut(ask, signal)
      const isOutage = !answer.ok && answer.isOutage
      outages = isOutage ? outages + 1 : 0
      if (outages >= MAX_OUTAGES) openUntilMs = nowMs() + OPEN_MS
      return answer
    },
  }
}
