/** Returns the first list without one equal text for each text of the second list, in the same order. */
export function compareBags(texts: readonly string[], others: readonly string[]): readonly string[] {
  const left = new Map<string, number>()
  for (const other of others) left.set(other, (left.get(other) ?? 0) + 1)
  return texts.filter((text) => {
    const count = left.get(text) ?? 0
    left.set(text, count - 1)
    return count <= 0
  })
}
