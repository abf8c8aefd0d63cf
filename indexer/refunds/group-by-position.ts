import { groupBy } from '../../shared/domain/group-by.ts'

/** Maximum groups per turn, in addition to the recent one. */
const MAX_LAGGING_GROUPS = 5

/**
 * Groups refunds so that a lagging refund does not delay the others. The first group contains the refunds that were
 * read up to a recent block. Each further group contains the lagging refunds at one position, in ascending order.
 * Refunds beyond the maximum number of groups are left out of this turn. Pure.
 *
 * @param positionOf - returns the block up to which a refund was read
 * @param recentBlock - refunds read up to this block or later are recent
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
