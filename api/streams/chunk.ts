/** Splits a list into slices of at most `maxItems`, in order. */
export function chunk<Item>(items: readonly Item[], maxItems: number): readonly (readonly Item[])[] {
  const count = Math.ceil(items.length / maxItems)
  return Array.from({ length: count }, (_, index) => items.slice(index * maxItems, (index + 1) * maxItems))
}
