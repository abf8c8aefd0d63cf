import {
  findLatestDistributions,
  type KnownDistribution,
} from '../../shared/db/chain-facts/daemon/split-events.ts'
import type { Db } from '../../shared/db/connect.ts'
import { insertPayouts, lockPayoutsOfCharges, type PayoutRow } from '../../shared/db/payouts/payouts.ts'
import { announceAvailable, applyPayoutUpdate } from './apply-payout-update.ts'

/**
 * Opens the payout of every pair in which the split of one of these charges was paid. A completed or failed payout that
 * owes an amount is reopened. Announces to the keepers each opened or reopened payout that owes an amount.
 *
 * Runs in the caller's transaction, which must hold the charges' locks and must have written the credits. May be
 * repeated: a payout that is already open can only become due earlier. Uses few statements for new payouts, because a
 * block may pay hundreds of charges.
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
 * payout existed (decisions 5.2). Does not apply the distribution if it is already counted and an amount is still owed.
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
    // If an amount is still owed after a counted distribution, the payout stays open for any keeper.
    await applyPayoutUpdate(db, payout, { news: { type: 'distribution.seen', distribution }, now })
  }
}
