/** Where mocha and forge begin to list what failed, below all that they wrote before. */
const FAILURES = /^(?: {2}\d+ failing|Failing tests:)$/gm

/**
 * Answers a failed step's output with its list of failures before everything else, or as it is if there is none.
 *
 * Whoever keeps a log keeps its beginning: of an output of 100 kB, the failed test must not be what is cut off.
 */
export function failuresFirst(output: string): string {
  // Tests may print such a line too: the last one is the runner's own.
  const at = [...output.matchAll(FAILURES)].at(-1)?.index
  return at === undefined ? output : `${output.slice(at)}\n\nBefore that:\n\n${output.slice(0, at)}`
}
