/**
 * Describes the first difference between rebuilt data and received data; returns `null` if they are equal. Compares all
 * nested values, because a wallet also signs the types and the domain. Ignores case, which varies in addresses.
 */
export function findDifference(ours: object, sent: unknown): string | null {
  const [expected, found] = [flattenValues(ours), flattenValues(sent)]
  for (const path of new Set([...expected.keys(), ...found.keys()])) {
    const [ourValue, sentValue] = [expected.get(path), found.get(path)]
    if (ourValue?.toLowerCase() === sentValue?.toLowerCase()) continue
    const sentWords = sentValue === undefined ? `no ${path}` : `${path} ${sentValue}`
    return `the response has ${sentWords}, ${ourValue === undefined ? 'which must be absent' : `not ${ourValue}`}`
  }
  return null
}

/** Returns each nested value as text, by its path. */
function flattenValues(value: unknown, path = ''): ReadonlyMap<string, string> {
  if (typeof value !== 'object' || value === null) return new Map([[path, String(value)]])
  const under = (name: string) => (path === '' ? name : `${path}.${name}`)
  return new Map(Object.entries(value).flatMap(([name, one]) => [...flattenValues(one, under(name))]))
}
