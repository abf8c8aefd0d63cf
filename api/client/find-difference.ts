/**
 * Answers where typed data that was sent differs from ours, in words, or `null`: every value of one and of the other, for what
 * differs in types or domain is signed with all the rest. Addresses may be written in either case.
 */
export function findDifference(ours: object, sent: unknown): string | null {
  const [expected, found] = [valuesOf(ours), valuesOf(sent)]
  for (const path of new Set([...expected.keys(), ...found.keys()])) {
    const [ourValue, sentValue] = [expected.get(path), found.get(path)]
    if (ourValue?.toLowerCase() === sentValue?.toLowerCase()) continue
    const sentWords = sentValue === undefined ? `no ${path}` : `${path} ${sentValue}`
    return `it would sign ${sentWords}, and not ${ourValue ?? 'without'}`
  }
  return null
}

/** Each value below this one, as text, by its path. */
function valuesOf(value: unknown, path = ''): ReadonlyMap<string, string> {
  if (typeof value !== 'object' || value === null) return new Map([[path, String(value)]])
  const under = (name: string) => (path === '' ? name : `${path}.${name}`)
  return new Map(Object.entries(value).flatMap(([name, one]) => [...valuesOf(one, under(name))]))
}
