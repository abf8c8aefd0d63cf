import {
  findLatestDistributions,
  type KnownDistribution,
} from '../../shared/db/chain-facts/daemon/split-events.ts'
import type { Db } from '../../shared/db/connect.ts'
import { insertPayouts, lockPayoutsOfCharges, type PayoutRow } from '../../shared/db/payouts/payouts.ts'
import { announceAvailable, applyPayoutUpdate } from './apply-payout-update.ts'

/**
 * Creates the missing payouts of these charges, one per pair on which the split received money, and reopens completed
 * or failed payouts that owe an amount. Announces to keepers each created or reopened payout that owes an amount.
 *
 * Runs in the caller's transaction, which must hold the charges' locks and must have written the credits. Calls may be
 * repeated: an open payout can only become due earlier. Creates all payouts in one statement, because a block may pay
 * hundreds of charges.
 */
export async function openPayouts(
  db: Db,
  opening: { readonly chargeIds: readonly string[]; readonly graceSeconds: number; readonly nowDate: Date },
): Promise<void> {
  const { chargeIds, graceSeconds, nowDate: now } = opening
  if (chargeIds.length === 0) return
  const graceEndsAt = new Date(now.getTime() + graceSeconds * 1000)
  const opened = new Set(await insertPayouts(db, { chargeIds, now, graceEndsAt }))
  const payouts = await lockPayoutsOfCharges(db, chargeIds)

  const owing = payouts.filter(({ owedAtomic }) => owedAtomic > 0n)
  await announceAvailable(
    db,
    owing.filter(({ id }) => opened.has(id)),
    now,
  )
  for (const payout of owing.filter(({ id }) => !opened.has(id)))
    await applyPayoutUpdate(db, payout, { news: { type: 'funds.added', graceSeconds }, now })

  const distributions = await findLatestDistributions(db, [...opened])
  for (const payout of payouts.filter(({ id }) => opened.has(id)))
    await begin(db, payout, { latest: distributions.get(payout.id) ?? null, now })
}

/**
 * Applies the pair's latest distribution, if any, to a new payout, because a keeper may have distributed before the
 * payout existed (decisions 5.2). If an amount is still owed after a counted distribution, the payout stays open for
 * any keeper.
 */
async function begin(
  db: Db,
  payout: PayoutRow,
  { latest, now }: { readonly latest: KnownDistribution | null; readonly now: Date },
): Promise<void> {
  const distribution = latest && { distributorAddress: latest.distributorAddress, txHash: latest.txHash }
  const isOwed = payout.owedAtomic > 0n
  if (!isOwed && !payout.isMerchantHeld) {
    await applyPayoutUpdate(db, payout, {
      news: { type: 'payout.covered', distribution, isOffered: false },
      now,
    })
  } else if (distribution && !(isOwed && latest?.isCounted)) {
    await applyPayoutUpdate(db, payout, { news: { type: 'distribution.seen', distribution }, now })
  }
}
