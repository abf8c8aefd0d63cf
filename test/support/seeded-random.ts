/** A random number generator that returns the same numbers for the same seed. */
export type Random = {
  /** Returns a number from 0 to below 1. */
  readonly fraction: () => number
  /** Returns an integer from 0 to below `limit`. */
  readonly integer: (limit: number) => number
  readonly pick: <Item>(items: readonly Item[]) => Item
}

/** Creates a random number generator (SplitMix32) that is good enough only for tests. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const fraction = () => {
    state = (state + 0x9e3779b9) >>> 0
    let mixed = state ^ (state >>> 16)
    mixed = Math.imul(mixed, 0x21f0aaad)
    mixed ^= mixed >>> 15
    mixed = Math.imul(mixed, 0x735a2d97)
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32
  }
  const integer = (limit: number) => Math.floor(fraction() * limit)
  return {
    fraction,
    integer,
    pick: (items) => {
      const item = items[integer(items.length)]
      if (item === undefined) throw new Error('the list to pick from is empty')
      return item
    },
  }
}
