import { findLatestDistribution } from '../../shared/db/chain-facts/daemon/split-events.ts'
import type { Db } from '../../shared/db/connect.ts'
import { insertPayouts, lockPayoutsOfCharge, type PayoutRow } from '../../shared/db/payouts/payouts.ts'
import { announceAvailable, movePayout } from './move-payout.ts'

/**
 * Opens the payout of every pair of the charge whose split was paid, or opens it again after late funds, and tells
 * the keepers what they can earn.
 *
 * Runs in the caller's transaction, which holds the charge's lock and has written what was credited. Repeating it
 * changes nothing: an open payout stays as it is.
 */
export async function openPayouts(
  db: Db,
  opening: { readonly chargeId: string; readonly graceSeconds: number; readonly nowDate: Date },
): Promise<void> {
  const { chargeId, graceSeconds, nowDate: now } = opening
  const graceEndsAt = new Date(now.getTime() + graceSeconds * 1000)
  const opened = new Set(await insertPayouts(db, { chargeId, now, graceEndsAt }))

  for (const payout of await lockPayoutsOfCharge(db, chargeId)) {
    if (opened.has(payout.id)) {
      await begin(db, payout, now)
    } else if (payout.owedAtomic > 0n) {
      await movePayout(db, payout, { news: { type: 'funds.added', graceSeconds }, now })
    }
  }
}

/** A keeper may have been here before the payout was (decisions 5.2): then it begins where he left it. */
async function begin(db: Db, payout: PayoutRow, now: Date): Promise<void> {
  const latest = await findLatestDistribution(db, payout)
  const distribution = latest && { distributorAddress: latest.distributorAddress, txHash: latest.txHash }
  const isOwed = payout.owedAtomic > 0n
  if (isOwed) await announceAvailable(db, payout, now)
  if (!isOwed && !payout.isMerchantHeld) {
    await movePayout(db, payout, { news: { type: 'payout.covered', distribution, isOffered: false }, now })
  } else if (distribution && !(isOwed && latest?.isCounted)) {
    // What is owed beyond a counted distribution is still anyone's to earn.
    await movePayout(db, payout, { news: { type: 'distribution.seen', distribution }, now })
  }
}
