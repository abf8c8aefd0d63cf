/** How many tests a runner says passed and failed. */
export type TestCount = { readonly passed: number; readonly failed: number }

// What the runners put before their figures; colours are off, for their output is no terminal.
const SUMMARIES = {
  mocha: { passed: /^\s+(\d+) passing/m, failed: /^\s+(\d+) failing/m },
  forge: { passed: /^Ran \d+ test suites? .*?: (\d+) tests passed/m, failed: /tests passed, (\d+) failed/m },
} as const

/** Reads the summary at the end of a test runner's output; what it does not say is 0. */
export function countTests(runner: keyof typeof SUMMARIES, output: string): TestCount {
  const { passed, failed } = SUMMARIES[runner]
  return { passed: lastFigure(output, passed), failed: lastFigure(output, failed) }
}

/** Tests may print anything, a runner's summary too: only the last one is the runner's own. */
function lastFigure(output: string, pattern: RegExp): number {
  const figures = [...output.matchAll(new RegExp(pattern, 'gm'))].map(([, figure]) => Number(figure))
  return figures.at(-1) ?? 0
}
