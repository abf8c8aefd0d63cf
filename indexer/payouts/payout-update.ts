import type { DueSplitEvent } from '../../shared/db/charges/daemon/charge-inbox.ts'
import type { PairLedger } from '../../shared/db/charges/daemon/charge-state.ts'
import type { PayoutUpdate } from './decide-payout.ts'
import { hasOwed, isCovered } from './update-ledgers.ts'

/**
 * Returns the fact about a pair's payout that follows from the pair's ledger and new distributions; `null` if there is
 * none. If several facts follow, returns the first of: covered, fell short, seen, orphaned. Pure.
 *
 * @param events - the pair's distributions, in the order in which they were recorded
 * @param pair.ledger - the ledger after the events; `undefined` if the pair has none
 */
export function derivePayoutUpdate(
  events: readonly DueSplitEvent[],
  { ledger, graceSeconds }: { readonly ledger: PairLedger | undefined; readonly graceSeconds: number },
): PayoutUpdate | null {
  const latest = events.findLast(({ isOrphaned }) => !isOrphaned)
  const distribution = latest ? { distributorAddress: latest.account, txHash: latest.txHash } : null
  if (ledger && isCovered(ledger)) return { type: 'payout.covered', distribution, isOffered: true }
  if (ledger && latest?.isDeep && hasOwed(ledger)) return { type: 'distribution.fell_short', graceSeconds }
  if (distribution) return { type: 'distribution.seen', distribution }
  return events.length > 0 ? { type: 'distribution.orphaned', graceSeconds } : null
}
