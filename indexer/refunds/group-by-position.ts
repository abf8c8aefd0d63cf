import { groupBy } from '../../shared/domain/group-by.ts'

/** Maximum number of groups of lagging refunds per turn. */
const MAX_LAGGING_GROUPS = 5

/**
 * Groups refunds so that a lagging refund does not delay the others. The first group contains the recent refunds, if
 * any. Each further group contains the lagging refunds at one position, lowest position first. Lagging refunds beyond
 * `MAX_LAGGING_GROUPS` groups are left out of this turn. Pure.
 *
 * @param positionOf - returns the last block that was read for a refund
 * @param recentBlock - a refund whose position is this block or later is recent; any other refund lags
 */
export function groupByPosition<Refund>(
  refunds: readonly Refund[],
  positionOf: (refund: Refund) => number,
  recentBlock: number,
): readonly (readonly Refund[])[] {
  const recent = refunds.filter((refund) => positionOf(refund) >= recentBlock)
  const lagging = refunds.filter((refund) => positionOf(refund) < recentBlock)
  const groups = [...groupBy(lagging, (refund) => String(positionOf(refund)))]
  const furthest = groups.toSorted(([a], [b]) => Number(a) - Number(b)).map(([, group]) => group)
  return [recent, ...furthest.slice(0, MAX_LAGGING_GROUPS)].filter(({ length }) => length > 0)
}
