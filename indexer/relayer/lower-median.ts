import { invariant } from '../../shared/domain/errors.ts'

/**
 * Returns the median of several nodes' values; for an even number of values, the lower of the two in the middle. With
 * two or more nodes, a single node cannot raise the result above the highest value of the other nodes. With three
 * nodes, a single node cannot move the result outside the range of the other two values. Pure.
 *
 * @param values - not empty
 */
export function lowerMedian<Value>(values: readonly Value[], by: (value: Value) => bigint): Value {
  const sorted = values.toSorted((left, right) => (by(left) < by(right) ? -1 : by(left) > by(right) ? 1 : 0))
  const middle = sorted[Math.floor((sorted.length - 1) / 2)]
  invariant(middle !== undefined, 'at least one value is given')
  return middle
}
