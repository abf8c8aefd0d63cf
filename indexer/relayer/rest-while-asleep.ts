import { isAsleep } from '../../shared/db/chain-facts/daemon/sleeping.ts'
import type { Db } from '../../shared/db/connect.ts'
import { type Clock, hasPassed } from '../../shared/runtime/clock.ts'

type Turn = () => Promise<'more' | 'idle'>

/**
 * Interval of the turns while the network sleeps. It is long, because no transaction is sent, so balances do not fall.
 */
const ASLEEP_INTERVAL_MS = 3_600_000

/** Returns a turn that does nothing while the network sleeps, except once an hour. */
export function restWhileAsleep(
  deps: { readonly sql: Db; readonly chainId: number; readonly now: Clock },
  turn: Turn,
): Turn {
  let turnedAtMs = Number.NEGATIVE_INFINITY
  return async () => {
    const nowMs = deps.now().getTime()
    const isDue = hasPassed(ASLEEP_INTERVAL_MS, { sinceMs: turnedAtMs, nowMs })
    if (!isDue && (await isAsleep(deps.sql, deps.chainId))) return 'idle'
    const outcome = await turn()
    turnedAtMs = nowMs
    return outcome
  }
}
