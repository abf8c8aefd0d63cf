import type { RestingTransactions } from '../../shared/db/chain-facts/daemon/uncorroborated.ts'
import type { Hex } from '../../shared/domain/address.ts'
import type { Clock } from '../../shared/runtime/clock.ts'

/** A transaction that was asked about in vain is asked about again after a second, after two, and so on. */
const FIRST_REST_MS = 1_000
const MAX_REST_MS = 60_000
/** Transactions in memory; beyond, all are asked about again. */
const MAX_RESTING = 10_000

/** Transactions that were asked about lately, so that those that no quorum shows take turns with the others. */
export type RestList = {
  /** Notes that a transaction was asked about, whatever came of it: if it is listed again, it still waits. */
  readonly note: (txHash: Hex, isDeep: boolean) => void
  /** Lists the transactions that rest now, by whether they were last asked about at their depth. */
  readonly list: () => RestingTransactions
}

type Rest = { readonly sinceMs: number; readonly nextMs: number; readonly isDeep: boolean }

/** Creates the list. */
export function createRestList(now: Clock): RestList {
  const rests = new Map<Hex, Rest>()
  return { note, list }

  function list(): RestingTransactions {
    const nowMs = now().getTime()
    for (const [txHash, { nextMs }] of rests) if (nowMs - nextMs > 2 * MAX_REST_MS) rests.delete(txHash)
    const resting = [...rests].filter(([, { nextMs }]) => nextMs > nowMs)
    const hashesOf = (wanted: boolean) =>
      resting.flatMap(([txHash, { isDeep }]) => (isDeep === wanted ? [txHash] : []))
    return { aboveDepth: hashesOf(false), atDepth: hashesOf(true) }
  }

  function note(txHash: Hex, isDeep: boolean): void {
    const nowMs = now().getTime()
    const sinceMs = rests.get(txHash)?.sinceMs ?? nowMs
    if (rests.size >= MAX_RESTING) rests.clear()
    const nextMs = nowMs + Math.min(MAX_REST_MS, Math.max(FIRST_REST_MS, nowMs - sinceMs))
    rests.set(txHash, { sinceMs, nextMs, isDeep })
  }
}
