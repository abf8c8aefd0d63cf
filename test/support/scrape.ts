/** The metrics of a process at `/metrics`. */
export type Scrape = {
  readonly text: string
  /** Returns the names of all possible series, with the suffixes of histograms. */
  readonly names: () => ReadonlySet<string>
  /** Returns the sum of the series with this name and these labels; `null` if there is no such series. */
  readonly valueOf: (name: string, labels: Readonly<Record<string, string>>) => number | null
}

/**
 * Scrapes one of our processes.
 *
 * @throws {Error} if the response is not 2xx, or does not arrive within 20 s
 */
export async function scrape(internalUrl: string): Promise<Scrape> {
  const answer = await fetch(`${internalUrl}/metrics`, { signal: AbortSignal.timeout(20_000) })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${internalUrl}/metrics returned ${answer.status}: ${text}`)
  return { text, names: () => namesOf(text), valueOf: (name, labels) => sumOf(text, { name, labels }) }
}

function namesOf(text: string): ReadonlySet<string> {
  const types = [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)]
  return new Set(
    types.flatMap(([, name = '', type]) =>
      type === 'histogram' ? ['_bucket', '_sum', '_count'].map((suffix) => name + suffix) : [name],
    ),
  )
}

function sumOf(
  text: string,
  { name, labels }: { name: string; labels: Readonly<Record<string, string>> },
): number | null {
  const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`)
  const values = text.split('\n').flatMap((line) => {
    const [, named, shown = '', value = ''] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
    return named === name && wanted.every((label) => shown.includes(label)) ? [Number(value)] : []
  })
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0)
}
