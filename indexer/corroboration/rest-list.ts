import type { RestingTransactions } from '../../shared/db/chain-facts/daemon/uncorroborated.ts'
import type { Hex } from '../../shared/domain/address.ts'
import type { Clock } from '../../shared/runtime/clock.ts'

/**
 * Minimum delay before a transaction is queried again. A delay is as long as the time since the transaction's first
 * query, but at most `MAX_REST_MS`.
 */
const FIRST_REST_MS = 1_000
const MAX_REST_MS = 60_000
/** Maximum transactions in memory. A full list is cleared, so that all transactions are queried again. */
const MAX_RESTING = 10_000

type Rest = { readonly sinceMs: number; readonly nextMs: number; readonly isDeep: boolean }

/**
 * Creates an empty list of recently queried transactions. A listed transaction is not queried during its delay, so that
 * transactions that no quorum shows do not crowd out the others.
 */
export function createRestList(now: Clock) {
  const rests = new Map<Hex, Rest>()
  return { note, list }

  /** Lists the transactions in their delay, grouped by whether they were at confirmation depth at their last query. */
  function list(): RestingTransactions {
    const nowMs = now().getTime()
    for (const [txHash, { nextMs }] of rests) if (nowMs - nextMs > 2 * MAX_REST_MS) rests.delete(txHash)
    const resting = [...rests].filter(([, { nextMs }]) => nextMs > nowMs)
    const hashesOf = (wanted: boolean) =>
      resting.flatMap(([txHash, { isDeep }]) => (isDeep === wanted ? [txHash] : []))
    return { aboveDepth: hashesOf(false), atDepth: hashesOf(true) }
  }

  /** Starts the delay of a transaction that was queried, regardless of the result. */
  function note(txHash: Hex, isDeep: boolean): void {
    const nowMs = now().getTime()
    const sinceMs = rests.get(txHash)?.sinceMs ?? nowMs
    if (rests.size >= MAX_RESTING) rests.clear()
    const nextMs = nowMs + Math.min(MAX_REST_MS, Math.max(FIRST_REST_MS, nowMs - sinceMs))
    rests.set(txHash, { sinceMs, nextMs, isDeep })
  }
}
