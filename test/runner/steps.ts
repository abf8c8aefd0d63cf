/** When a step runs: before the others, which build on it; beside the others; or after all, on what they left. */
export type Phase = 'first' | 'beside' | 'last'

/** One command of the test run. */
export type Step = {
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
  /** Whose summary counts the tests; `null` if the step has none. */
  readonly tests: 'mocha' | 'forge' | null
  readonly phase: Phase
  readonly timeoutMs: number
  /** Where it runs; by default at the repository's root. */
  readonly directory?: string
  /** Whether its output is shown although it has not failed. */
  readonly isShown?: boolean
  readonly environment: Readonly<Record<string, string>>
}

const MINUTE = 60_000

/** The integration tests of the daemon's rooms; they ask no API whose answers are counted. */
const DAEMONS_ROOMS =
  'test/integration/{chain,chain-feed,charges,escrow,payouts,reconciliation,relayer,transport}/**/*.test.ts'

/** The integration tests that ask the API as its clients do, and its adversaries. */
const CLIENTS_ROOMS = 'test/integration/{privileges,api,client}/**/*.test.ts'

/** The end-to-end tests whose subject is a chain: its blocks, its coin, its nodes. */
const CHAINS_TESTS = ['arc', 'outage', 'reorganization', 'tron', 'networks/networks'].map(
  (name) => `test/e2e/${name}.test.ts`,
)

/** The end-to-end tests that share an installation, first and those of each after one another: idle, it computes on. */
const SHARING_TESTS = [
  'escrow',
  'live-only',
  'books',
  'client-package',
  'readme',
  'x402',
  'webhooks',
  'swap',
  'payment',
].map((name) => `test/e2e/${name}.test.ts`)

/** Tests of the long run alone: each computes for a minute, and most of what each holds, shorter ones do. */
const LONG_TESTS = [
  'chaos/webhook-kills',
  'e2e/failover',
  'e2e/faulty-nodes',
  'e2e/operations-guide',
  'e2e/outage',
  'e2e/previous-build',
  'e2e/restore',
  'e2e/rolling-restart',
].map((name) => `test/${name}.test.ts`)

/**
 * Every step, the longest of those that run beside each other first, so that the lanes end together.
 *
 * @param answers - the directory where tests leave which answers of the API they got
 */
export function steps({ isLong, answers }: { isLong: boolean; answers: string }): readonly Step[] {
  const forgeProfile = { FOUNDRY_PROFILE: isLong ? 'long' : 'default' }
  // Read by the tests that have a seeded sample of something longer: every kill point, a million rows.
  const longRun: Record<string, string> = isLong ? { TEST_LONG: '1' } : {}
  const limitMs = (isLong ? 120 : 60) * MINUTE
  const isExecuted = (tests: string) => isLong || !LONG_TESTS.includes(tests)
  const except = (tests: readonly string[]) => tests.flatMap((one) => ['--ignore', one])
  // Mocha sorts what a pattern finds.
  const inThisOrder = (tests: readonly string[]) => [
    ...tests.flatMap((one) => ['--file', one]),
    ...except(tests),
  ]
  const notNow = LONG_TESTS.filter((tests) => !isExecuted(tests))
  return [
    // All others wait for it; the types are looked at by `lint`.
    tool('build', '.ci/build', { args: ['--noCheck'], phase: 'first' }),
    // These and the chaos tests run what was built, and mostly wait for blocks: what computes fits beside them.
    // In two, as the integration tests are in three, or one process would be at work long after all others.
    // The long one ends with a table of networks and cases.
    mocha('chains', {
      args: CHAINS_TESTS.filter(isExecuted),
      environment: longRun,
      timeoutMs: limitMs,
      isShown: isLong,
    }),
    mocha('e2e', {
      args: [...inThisOrder(SHARING_TESTS), 'test/e2e/**/*.test.ts', ...except([...CHAINS_TESTS, ...notNow])],
      environment: longRun,
      timeoutMs: limitMs,
    }),
    mocha('integration', {
      args: ['test/integration/**/*.test.ts', '--ignore', DAEMONS_ROOMS, '--ignore', CLIENTS_ROOMS],
      environment: { ...longRun, ANSWERS_DIRECTORY: answers },
      timeoutMs: limitMs,
    }),
    mocha('daemon', { args: [DAEMONS_ROOMS], environment: longRun, timeoutMs: limitMs }),
    mocha('api', {
      args: [CLIENTS_ROOMS],
      environment: { ...longRun, ANSWERS_DIRECTORY: answers },
      timeoutMs: limitMs,
    }),
    mocha('chaos', {
      args: ['test/chaos/**/*.test.ts', ...except(notNow)],
      environment: longRun,
      timeoutMs: limitMs,
    }),
    tool('contracts', 'npm', {
      args: ['run', '--silent', 'test:contracts'],
      tests: 'forge',
      environment: forgeProfile,
      timeoutMs: limitMs,
    }),
    // Screens in a real browser, read by axe; and payments through them.
    mocha('browser', { environment: longRun, timeoutMs: limitMs }),
    mocha('simulation', { environment: longRun, timeoutMs: limitMs }),
    ...(isLong ? [mocha('soak', { environment: longRun, timeoutMs: limitMs })] : []),
    mocha('property', { environment: longRun, timeoutMs: limitMs }),
    mocha('unit'),
    tool('mutation', 'node', {
      args: ['--import', 'tsx', 'test/mutation/main.ts', ...(isLong ? [] : ['--cheap', '--sample', '4'])],
      timeoutMs: limitMs,
    }),
    // With the types, which it needs anyway and knows in a third of the compiler's time.
    tool('lint', 'npm', { args: ['run', '--silent', 'lint'] }),
    ...(isLong ? [tool('types', 'tsc', { args: ['--noEmit'] })] : []),
    tool('layers', 'npm', { args: ['run', '--silent', 'layers'] }),
    tool('unused', 'knip', { args: [] }),
    tool('format', 'biome', { args: ['ci', '--colors=off'] }),
    tool('answers', 'node', {
      args: ['--import', 'tsx', 'test/runner/report-answers.ts', answers],
      phase: 'last',
      isShown: true,
    }),
  ]
}

type Options = Partial<Pick<Step, 'args' | 'tests' | 'phase' | 'timeoutMs' | 'isShown' | 'environment'>>

function tool(name: string, command: string, { args = [], ...options }: Options): Step {
  return {
    name,
    command,
    args,
    tests: null,
    phase: 'beside',
    timeoutMs: 30 * MINUTE,
    environment: {},
    ...options,
  }
}

function mocha(layer: string, options: Options = {}): Step {
  return tool(layer, 'mocha', { args: [`test/${layer}/**/*.test.ts`], tests: 'mocha', ...options })
}
