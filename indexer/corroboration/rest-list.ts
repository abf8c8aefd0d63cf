import type { RestingTransactions } from '../../shared/db/chain-facts/daemon/uncorroborated.ts'
import type { Hex } from '../../shared/domain/address.ts'
import type { Clock } from '../../shared/runtime/clock.ts'

/** A transaction that was asked about in vain is asked about again after a second, after two, and so on. */
const FIRST_REST_MS = 1_000
const MAX_REST_MS = 60_000
/** A row waits for a quorum at its depth for so long before operators are alerted, once. */
const ALERT_AFTER_MS = 120_000
/** Transactions in memory; beyond, all are asked about again, and reported again. */
const MAX_RESTING = 10_000

/** Transactions that were asked about lately, so that those that no quorum shows take turns with the others. */
export type RestList = {
  /** Notes that a transaction was asked about, whatever came of it: if it is listed again, it still waits. */
  readonly note: (txHash: Hex, isDeep: boolean) => void
  /** Lists the transactions that rest now, by whether they were last asked about at their depth. */
  readonly list: () => RestingTransactions
}

type Rest = {
  readonly sinceMs: number
  readonly nextMs: number
  readonly deepSinceMs: number | null
  readonly isReported: boolean
}

/**
 * Creates the list.
 *
 * @param deps.onLate - called once for a transaction that has waited too long at its depth
 */
export function createRestList({
  now,
  onLate,
}: {
  readonly now: Clock
  readonly onLate: (txHash: Hex) => void
}): RestList {
  const rests = new Map<Hex, Rest>()
  return { note, list }

  function list(): RestingTransactions {
    const nowMs = now().getTime()
    for (const [txHash, { nextMs }] of rests) if (nowMs - nextMs > 2 * MAX_REST_MS) rests.delete(txHash)
    const resting = [...rests].filter(([, { nextMs }]) => nextMs > nowMs)
    const hashesOf = (isDeep: boolean) =>
      resting.flatMap(([txHash, { deepSinceMs }]) => ((deepSinceMs !== null) === isDeep ? [txHash] : []))
    return { aboveDepth: hashesOf(false), atDepth: hashesOf(true) }
  }

  function note(txHash: Hex, isDeep: boolean): void {
    const nowMs = now().getTime()
    const known = rests.get(txHash)
    const sinceMs = known?.sinceMs ?? nowMs
    const deepSinceMs = isDeep ? (known?.deepSinceMs ?? nowMs) : null
    const isLate = deepSinceMs !== null && nowMs - deepSinceMs >= ALERT_AFTER_MS
    if (isLate && known?.isReported !== true) onLate(txHash)
    if (rests.size >= MAX_RESTING) rests.clear()
    rests.set(txHash, {
      ...{ sinceMs, deepSinceMs, isReported: isLate },
      nextMs: nowMs + Math.min(MAX_REST_MS, Math.max(FIRST_REST_MS, nowMs - sinceMs)),
    })
  }
}
