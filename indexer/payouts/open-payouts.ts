import {
  findLatestDistributions,
  type KnownDistribution,
} from '../../shared/db/chain-facts/daemon/split-events.ts'
import type { Db } from '../../shared/db/connect.ts'
import { insertPayouts, lockPayoutsOfCharges, type PayoutRow } from '../../shared/db/payouts/payouts.ts'
import { announceAvailable, movePayout } from './move-payout.ts'

/**
 * Opens the payout of every pair of these charges whose split was paid, or opens it again after late funds, and tells
 * the keepers what they can earn.
 *
 * Runs in the caller's transaction, which holds the charges' locks and has written what was credited. Repeating it
 * changes nothing: an open payout stays as it is. Few statements for all of them: a block may pay hundreds.
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
    await movePayout(db, payout, { news: { type: 'funds.added', graceSeconds }, now })

  const distributions = await findLatestDistributions(db, [...opened])
  for (const payout of payouts.filter(({ id }) => opened.has(id)))
    await begin(db, payout, { latest: distributions.get(payout.id) ?? null, now })
}

/** A keeper may have been here before the payout was (decisions 5.2): then it begins where he left it. */
async function begin(
  db: Db,
  payout: PayoutRow,
  { latest, now }: { readonly latest: KnownDistribution | null; readonly now: Date },
): Promise<void> {
  const distribution = latest && { distributorAddress: latest.distributorAddress, txHash: latest.txHash }
  const isOwed = payout.owedAtomic > 0n
  if (!isOwed && !payout.isMerchantHeld) {
    await movePayout(db, payout, { news: { type: 'payout.covered', distribution, isOffered: false }, now })
  } else if (distribution && !(isOwed && latest?.isCounted)) {
    // What is owed beyond a counted distribution is still anyone's to earn.
    await movePayout(db, payout, { news: { type: 'distribution.seen', distribution }, now })
  }
}
