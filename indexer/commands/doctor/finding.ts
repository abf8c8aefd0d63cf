/** What was looked at, what was found, and what to do about it; `null` if that is as it should be. */
export type Finding = { readonly subject: string; readonly found: string; readonly mend: string | null }

/** Something that is as it should be. */
export function well(subject: string, found: string): Finding {
  return { subject, found, mend: null }
}

/** Says in a few words why a node gave no answer; never its URL, which may carry a key. */
export function reasonOf(error: unknown): string {
  const text = error instanceof Error && 'details' in error ? String(error.details) : String(error)
  return text.replace(/https?:\/\/\S+/g, '(url)').slice(0, 100)
}
