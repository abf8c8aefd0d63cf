import { invariant } from '../../shared/domain/errors.ts'

/**
 * Answers the one in the middle of what several nodes say, of two in the middle the lower one: a single node neither
 * raises it above what another says, nor, of three, moves it at all. Pure.
 *
 * @param values - not empty
 */
export function lowerMedian<Value>(values: readonly Value[], by: (value: Value) => bigint): Value {
  const sorted = values.toSorted((left, right) => (by(left) < by(right) ? -1 : by(left) > by(right) ? 1 : 0))
  const middle = sorted[Math.floor((sorted.length - 1) / 2)]
  invariant(middle !== undefined, 'somebody has said something')
  return middle
}
