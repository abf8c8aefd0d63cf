/** The line with which mocha and forge start their list of failures, after the rest of the output. */
const FAILURES = /^(?: {2}\d+ failing|Failing tests:)$/gm

/**
 * Returns the output of a failed step with its list of failures first, or unchanged if it has none.
 *
 * Logs are truncated at the end, so in an output of 100 kB the failures must not come last.
 */
export function failuresFirst(output: string): string {
  // A test might also print such a line, but the last such line is the runner's own.
  const at = [...output.matchAll(FAILURES)].at(-1)?.index
  return at === undefined ? output : `${output.slice(at)}\n\nEarlier output:\n\n${output.slice(0, at)}`
}
