import { listLastTurns } from '../../shared/db/accounting/daemon/booked-charges.ts'
import type { Db } from '../../shared/db/connect.ts'

/**
 * Returns the time of the next turn of each charge whose lock the caller holds: `now`, but at least 1 ms after the
 * charge's latest turn.
 *
 * A rebuild of the books sorts the turns by these times, so no two turns of a charge may have the same time. Two turns
 * can take place within one millisecond, and the clock of another daemon can be ahead of ours.
 */
export async function findTurnTimes(
  db: Db,
  chargeIds: readonly string[],
  now: Date,
): Promise<ReadonlyMap<string, Date>> {
  if (chargeIds.length === 0) return new Map()
  const last = await listLastTurns(db, chargeIds)
  return new Map(
    chargeIds.map((id) => [id, new Date(Math.max(now.getTime(), (last.get(id)?.getTime() ?? 0) + 1))]),
  )
}

/** Like `findTurnTimes`, for one charge. */
export async function findTurnTime(db: Db, chargeId: string, now: Date): Promise<Date> {
  return (await findTurnTimes(db, [chargeId], now)).get(chargeId) ?? now
}
