import {
  enrolForComparison,
  type LeavingCharge,
  listLeavingCharges,
} from '../../shared/db/chain-facts/daemon/leaving-charges.ts'
import type { Sql } from '../../shared/db/connect.ts'
import { SCANNED_MS, scheduleComparison } from './next-comparison.ts'

/** Maximum charges read in one turn, including those that are not compared on this chain. */
const CHARGES_PER_TURN = 2_000

type Enrolment = {
  readonly chainId: number
  readonly now: Date
  /** Factor by which the age of a charge grows between two comparisons. */
  readonly growth: number
}

/**
 * Enrols charges for comparison on a chain after they have left its range scans.
 *
 * A charge with new activity is scanned again, leaves the scans again, and is then enrolled again. The position is
 * stored after the rows, so if the daemon is killed in between, the rows are inserted again.
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
