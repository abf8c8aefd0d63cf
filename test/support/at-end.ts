const ends: (() => Promise<void>)[] = []

/** Has something that several files of tests share ended once all of them have run. */
export function atEnd(end: () => Promise<void>): void {
  ends.push(end)
}

/** Ends it, the last first; does nothing a second time. */
export async function endAll(): Promise<void> {
  for (let end = ends.pop(); end !== undefined; end = ends.pop()) await end()
}
