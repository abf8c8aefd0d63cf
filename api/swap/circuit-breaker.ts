import type { SwapProvider } from './provider.ts'

const MAX_OUTAGES = 5
const OPEN_MS = 30_000

/**
 * Adds a circuit breaker to a provider, so that payers do not wait for a provider that is down. After five consecutive
 * outages the provider is not called for 30 s. If the next call is an outage too, another 30 s follow.
 *
 * @param nowMs - monotonic clock, in milliseconds
 */
export function createCircuitBreaker(provider: SwapProvider, nowMs: () => number): SwapProvider {
  let outages = 0
  let openUntilMs = 0
  return {
    ...provider,
    quoteExactOut: async (ask, signal) => {
      if (nowMs() < openUntilMs) {
        const reason = `failed ${outages} times in a row and is not called for up to 30 s`
        return { ok: false, id: null, reason, isOutage: false }
      }
      const result = await provider.quoteExactOut(ask, signal)
      const isOutage = !result.ok && result.isOutage
      outages = isOutage ? outages + 1 : 0
      if (outages >= MAX_OUTAGES) openUntilMs = nowMs() + OPEN_MS
      return result
    },
  }
}
