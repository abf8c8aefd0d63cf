/** A file and its imports, as dependency-cruiser reports them. */
type Module = { readonly source: string; readonly dependencies: readonly { readonly resolved: string }[] }

/** Dependencies between the rooms (folders) of a tree. */
export type Arrows = {
  /** Rooms with at least one file. */
  readonly inhabited: number
  /** Pairs of rooms in which the upper room imports from the lower. */
  readonly down: number
  /** Pairs of rooms in which the lower room imports from the upper. */
  readonly up: number
}

/**
 * Counts the pairs of rooms with at least one import between them.
 *
 * @param of.rooms - from the top layer down
 */
export function countArrows(
  modules: readonly Module[],
  { tree, rooms }: { readonly tree: string; readonly rooms: readonly string[] },
): Arrows {
  const placeOf = (path: string) => rooms.findIndex((room) => path.startsWith(`${tree}/${room}/`))
  const arrows = new Set<string>()
  const inhabited = new Set<number>()
  for (const { source, dependencies } of modules) {
    const from = placeOf(source)
    if (from < 0) continue
    inhabited.add(from)
    for (const { resolved } of dependencies) {
      const to = placeOf(resolved)
      if (to >= 0 && to !== from) arrows.add(from < to ? `down ${from} ${to}` : `up ${from} ${to}`)
    }
  }
  const down = [...arrows].filter((arrow) => arrow.startsWith('down')).length
  return { inhabited: inhabited.size, down, up: arrows.size - down }
}
