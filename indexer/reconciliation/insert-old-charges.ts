import {
  enrolForComparison,
  type LeavingCharge,
  listLeavingCharges,
} from '../../shared/db/chain-facts/daemon/leaving-charges.ts'
import type { Sql } from '../../shared/db/connect.ts'
import { SCANNED_MS, scheduleComparison } from './next-comparison.ts'

/** Maximum charges read in one turn, including charges that do not accept this chain. */
const CHARGES_PER_TURN = 2_000

type Enrolment = {
  readonly chainId: number
  readonly now: Date
  readonly growth: number
}

/**
 * Schedules the first comparison of charges that have left a chain's range scans.
 *
 * A charge with new activity returns to the range scans, and is scheduled again when it leaves them. The last charge of
 * the turn is stored after the rows, so if the daemon is killed in between, the rows are inserted again.
 *
 * @returns whether the turn has reached its maximum, so that more charges might have left the scans
 */
export async function enrolOldCharges(sql: Sql, { chainId, now, growth }: Enrolment): Promise<boolean> {
  const until = new Date(now.getTime() - SCANNED_MS)
  const charges = await listLeavingCharges(sql, { chainId, until, limit: CHARGES_PER_TURN })
  const last = charges.at(-1)
  if (last === undefined) return false
  const firsts = charges
    .filter(({ isOfChain }) => isOfChain)
    .map((charge) => firstOf(charge, { now, growth }))
  await enrolForComparison(sql, { chainId, last }, firsts)
  return charges.length === CHARGES_PER_TURN
}

function firstOf(
  { id: chargeId, isUrgent, activeAt }: LeavingCharge,
  { now, growth }: Pick<Enrolment, 'now' | 'growth'>,
) {
  const terms = { chargeId, growth, isUrgent, activeAt }
  return { chargeId, ...scheduleComparison({ ...terms, comparedAt: now, isFirst: true }) }
}
