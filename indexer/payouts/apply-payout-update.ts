import type { Db } from '../../shared/db/connect.ts'
import { appendEvents, type NewEvent } from '../../shared/db/events/daemon/events.ts'
import { type PayoutRow, updatePayout } from '../../shared/db/payouts/payouts.ts'
import { EVENT_CATEGORY } from '../../shared/domain/event.ts'
import { newId } from '../../shared/domain/ids.ts'
import {
  presentDistributionAvailable,
  presentDistributionClaimed,
} from '../../shared/domain/present-distribution.ts'
import { decidePayout, type PayoutDecision, type PayoutUpdate } from './decide-payout.ts'

/**
 * Applies a fact to a payout, and writes the result together with its events for the keeper feed.
 *
 * Runs in the caller's transaction. The caller must have locked the payout, and must run the effect `reportFailed`,
 * which changes the charge.
 */
export async function applyPayoutUpdate<Payout extends PayoutRow>(
  db: Db,
  payout: Payout,
  { news, now }: { readonly news: PayoutUpdate; readonly now: Date },
): Promise<PayoutDecision<Payout>> {
  const decision = decidePayout(payout, news, now)
  if (decision.payout === payout) return decision

  await updatePayout(db, decision.payout)
  if (decision.effects.includes('announceClaimed')) await announceClaimed(db, decision.payout, now)
  if (decision.effects.includes('announceAvailable')) await announceAvailable(db, [decision.payout], now)
  return decision
}

/** Appends a `distribution.available` event for each payout to the keeper feed. */
export async function announceAvailable(db: Db, payouts: readonly PayoutRow[], now: Date): Promise<void> {
  await appendEvents(
    db,
    payouts.map((payout) => eventOf(payout, presentDistributionAvailable(payout), now)),
  )
}

async function announceClaimed(db: Db, payout: PayoutRow, now: Date): Promise<void> {
  await appendEvents(db, [eventOf(payout, presentDistributionClaimed(payout), now)])
}

type FeedObject = ReturnType<typeof presentDistributionAvailable | typeof presentDistributionClaimed>

function eventOf({ chargeId, environment }: PayoutRow, object: FeedObject, now: Date): NewEvent {
  return {
    id: newId('evt', now.getTime()),
    category: EVENT_CATEGORY[object.type],
    type: object.type,
    organizationId: null, // The feed is public by design.
    environment,
    chargeId,
    data: JSON.stringify(object),
    createdAt: now,
  }
}
