import type { ChainLog } from './entry.ts'
import type { History } from './history.ts'

/** Returns the logs whose blocks could have been at confirmation depth at `atMs`. */
export function filterDeepAtMost<Log extends ChainLog>(
  history: History,
  logs: readonly Log[],
  atMs: number,
): readonly Log[] {
  return logs.filter(({ network, block }) => block <= findDeepestAtMost(history, { network, atMs }))
}

/** Returns the logs whose blocks were certainly at confirmation depth at `atMs`. */
export function filterDeepAtLeast<Log extends ChainLog>(
  history: History,
  logs: readonly Log[],
  atMs: number,
): readonly Log[] {
  return logs.filter(({ network, block }) => block <= findDeepestAtLeast(history, { network, atMs }))
}

/**
 * Returns the highest block that could have been at confirmation depth at `atMs`, calculated from the first height that
 * was requested at that time or later. Returns infinity without such a request.
 */
function findDeepestAtMost(history: History, { network, atMs }: At): number {
  const heads = history.heads.get(network) ?? []
  const later = heads[countWhile(heads, ({ askedMs }) => askedMs < atMs)]
  return (later?.number ?? Number.POSITIVE_INFINITY) - getDepth(history, network)
}

/** Returns the highest certainly confirmed block, calculated from the last height that had arrived by `atMs`. */
function findDeepestAtLeast(history: History, { network, atMs }: At): number {
  const heads = history.heads.get(network) ?? []
  const earlier = heads[countWhile(heads, (head) => head.atMs <= atMs) - 1]
  return (earlier?.number ?? -1) - getDepth(history, network)
}

type At = { readonly network: string; readonly atMs: number }

/** Returns the distance from the head to the highest confirmed block. The head itself has depth 1. */
function getDepth({ networks }: History, network: string): number {
  return (networks.get(network)?.confirmations ?? 1) - 1
}

/** Counts the items that meet the condition, by binary search. They must precede all other items. */
function countWhile<Item>(items: readonly Item[], holds: (item: Item) => boolean): number {
  let [low, high] = [0, items.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (holds(items[middle] as Item)) low = middle + 1
    else high = middle
  }
  return low
}
