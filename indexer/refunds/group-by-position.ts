import type { WatchedRefund } from '../../shared/db/refunds/daemon/watched-refunds.ts'
import { groupBy } from '../../shared/domain/group-by.ts'

/** Maximum groups per turn, in addition to the recent one. */
const MAX_LAGGING_GROUPS = 5

/**
 * Groups refunds so that a lagging refund does not delay the others: the refunds scanned up to a recent block together,
 * then the lagging ones by their exact position, the furthest first. Pure.
 *
 * @param recentBlock - refunds scanned up to this block or later are recent
 */
export function groupByPosition(
  refunds: readonly WatchedRefund[],
  recentBlock: number,
): readonly (readonly WatchedRefund[])[] {
  const recent = refunds.filter(({ scannedBlock }) => scannedBlock >= recentBlock)
  const lagging = refunds.filter(({ scannedBlock }) => scannedBlock < recentBlock)
  const groups = [...groupBy(lagging, ({ scannedBlock }) => String(scannedBlock)).values()]
  const furthest = groups.toSorted((a, b) => (a[0]?.scannedBlock ?? 0) - (b[0]?.scannedBlock ?? 0))
  return [recent, ...furthest.slice(0, MAX_LAGGING_GROUPS)].filter(({ length }) => length > 0)
}
