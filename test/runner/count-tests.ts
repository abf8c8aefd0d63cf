/** Numbers of passed and failed tests that a runner reports. */
export type TestCount = { readonly passed: number; readonly failed: number }

// Patterns of the runners' summaries. They need not allow for colours: the runners do not write to a terminal, and
// `runStep` strips control characters.
const SUMMARIES = {
  mocha: { passed: /^\s+(\d+) passing/m, failed: /^\s+(\d+) failing/m },
  forge: { passed: /^Ran \d+ test suites? .*?: (\d+) tests passed/m, failed: /tests passed, (\d+) failed/m },
} as const

/** Reads the summary at the end of a test runner's output. A missing number counts as 0. */
export function countTests(runner: keyof typeof SUMMARIES, output: string): TestCount {
  const { passed, failed } = SUMMARIES[runner]
  return { passed: lastFigure(output, passed), failed: lastFigure(output, failed) }
}

/**
 * Returns the number in the last match. A test might also print a runner's summary, but the last summary is the
 * runner's own.
 */
function lastFigure(output: string, pattern: RegExp): number {
  const figures = [...output.matchAll(new RegExp(pattern, 'gm'))].map(([, figure]) => Number(figure))
  return figures.at(-1) ?? 0
}
