import type { Clock } from '../../shared/runtime/clock.ts'
import type { Logger } from '../../shared/runtime/logger.ts'

/** Duration of an outage after which an error is logged. An outage lasts until a quorum agrees on all balances. */
const UNREAD_ALERT_MS = 300_000

type Deps = { readonly chainId: number; readonly now: Clock; readonly log: Logger }

/**
 * Creates the function to call after each reading with the number of balances on which no quorum agrees. The function
 * logs one error per outage of at least five minutes, because charges with such balances cannot expire.
 */
export function createUnreadAlert({ chainId, now, log }: Deps): (balances: number) => void {
  let unread: { readonly sinceMs: number; readonly isReported: boolean } | null = null
  return (balances) => {
    const nowMs = now().getTime()
    unread = balances === 0 ? null : (unread ?? { sinceMs: nowMs, isReported: false })
    if (unread === null || unread.isReported || nowMs - unread.sinceMs < UNREAD_ALERT_MS) return
    unread = { ...unread, isReported: true }
    log.error({
      msg: 'No quorum has agreed on balances for five minutes: expiry is blocked',
      chain_id: chainId,
      balances,
    })
  }
}
