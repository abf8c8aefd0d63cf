/**
 * An item of the heap. Items are ordered by time, then by `tie`, then by `order`, a number that grows with each
 * insertion.
 */
type Timed = { readonly atMs: number; readonly tie: number; readonly order: number }

function isBefore(left: Timed, right: Timed): boolean {
  if (left.atMs !== right.atMs) return left.atMs < right.atMs
  return left.tie === right.tie ? left.order < right.order : left.tie < right.tie
}

/** Adds an item to a binary heap, whose first element is the earliest item. */
export function push<Item extends Timed>(heap: Item[], item: Item): void {
  let at = heap.length
  heap.push(item)
  while (at > 0) {
    const above = (at - 1) >> 1
    const parent = heap[above]
    if (parent === undefined || !isBefore(item, parent)) break
    heap[at] = parent
    heap[above] = item
    at = above
  }
}

/** Removes the earliest item. */
export function pop(heap: Timed[]): void {
  const last = heap.pop()
  if (last === undefined || heap.length === 0) return
  heap[0] = last
  for (let at = 0; ; ) {
    const left = 2 * at + 1
    const [a, b] = [heap[left], heap[left + 1]]
    const child = b !== undefined && a !== undefined && isBefore(b, a) ? left + 1 : left
    const least = heap[child]
    if (least === undefined || !isBefore(least, last)) return
    heap[at] = least
    heap[child] = last
    at = child
  }
}
