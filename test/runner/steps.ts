/**
 * When a step runs: at the start, because other steps use its build; concurrently with other steps; or after all
 * others, because it needs their output.
 */
export type Phase = 'first' | 'beside' | 'last'

/** One command of the test run. */
export type Step = {
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
  /** The runner whose summary counts the tests; `null` if the step has no tests. */
  readonly tests: 'mocha' | 'forge' | null
  readonly phase: Phase
  /** Whether the step waits for the phase `first`, because it runs `dist/`. */
  readonly usesBuild?: boolean
  readonly timeoutMs: number
  /** Working directory; by default the repository's root. */
  readonly directory?: string
  /** Whether its output is shown even if it succeeds. */
  readonly isShown?: boolean
  readonly environment: Readonly<Record<string, string>>
}

const MINUTE = 60_000

/** Integration tests of the daemon's rooms that read chains. They use no API, so they record no responses. */
const DAEMONS_ROOMS = 'test/integration/{chain,chain-feed,charges,reconciliation,transport}/**/*.test.ts'

/** Integration tests that use the API like its clients and its attackers. */
const CLIENTS_ROOMS = 'test/integration/{privileges,api,client}/**/*.test.ts'

/** Integration tests of the rooms that send transactions, of refunds, and of everything on TRON. */
const PAYMENTS_ROOMS = 'test/integration/{escrow,pay-by-signature,payouts,refunds,relayer,tron}/**/*.test.ts'

/** End-to-end tests about a chain: its blocks, its coin, its nodes. */
const CHAINS_TESTS = ['arc', 'outage', 'reorganization', 'tron', 'networks/networks'].map(
  (name) => `test/e2e/${name}.test.ts`,
)

/**
 * End-to-end tests that run consecutively on one installation, because even an idle installation uses CPU time. The
 * webhooks come first, because their endpoints count every event. The payments come last, because the installation need
 * not pay out the last 40 of them.
 */
const SHARING_TESTS = [
  'webhooks',
  'swap',
  'escrow',
  'live-only',
  'books',
  'late-money',
  'client-package',
  'x402',
  'readme',
  'payment',
].map((name) => `test/e2e/${name}.test.ts`)

/**
 * Tests that run only in `npm run test:long`. Each takes up to a minute of CPU time, and shorter tests cover most of
 * their rules:
 *
 * - Dishonest nodes: the integration tests of corroboration, the relayer and payment by signature.
 * - Sleeping networks: chaos/kill-points, chaos/tron-money-audit and integration/chain-feed/sleeping.
 * - integration/chain-feed/arc-feed: e2e/arc makes the same payments.
 * - integration/devnet: every end-to-end test uses the same test tools.
 * - e2e/networks: the other end-to-end tests cover its cases on base, Arc and TRON.
 *
 * simulation/run-seeds tests the tool for long simulations.
 */
const LONG_TESTS = [
  'chaos/money-audit',
  'chaos/webhook-kills',
  'e2e/dishonest-nodes',
  'e2e/everything',
  'e2e/failover',
  'e2e/faulty-nodes',
  'e2e/keeper',
  'e2e/networks/networks',
  'e2e/node-budgets',
  'e2e/operations-guide',
  'e2e/outage',
  'e2e/previous-build',
  'e2e/reorganization',
  'e2e/restore',
  'e2e/rolling-restart',
  'e2e/sleeping',
  'integration/chain-feed/arc-feed',
  'integration/chain-feed/repaired-feed',
  'integration/devnet/devnet',
  'integration/devnet/embedded-postgres',
  'integration/tron/tron-sleeping',
  'simulation/run-seeds',
].map((name) => `test/${name}.test.ts`)

/**
 * Returns every step. The longest of the concurrent steps come first, so that all lanes end at about the same time.
 *
 * @param answers - directory in which tests record the API responses that they received
 */
export function steps({ isLong, answers }: { isLong: boolean; answers: string }): readonly Step[] {
  const forgeProfile = { FOUNDRY_PROFILE: isLong ? 'long' : 'default' }
  // With this variable, some tests run in full, such as every kill point or a million rows, instead of a sample.
  const longRun: Record<string, string> = isLong ? { TEST_LONG: '1' } : {}
  const limitMs = (isLong ? 120 : 60) * MINUTE
  const isExecuted = (tests: string) => isLong || !LONG_TESTS.includes(tests)
  const except = (tests: readonly string[]) => tests.flatMap((one) => ['--ignore', one])
  // Mocha sorts the files that match a pattern, so an order needs `--file`.
  const inThisOrder = (tests: readonly string[]) => [
    ...tests.flatMap((one) => ['--file', one]),
    ...except(tests),
  ]
  const notNow = LONG_TESTS.filter((tests) => !isExecuted(tests))
  return [
    // Without a type check, which `lint` includes.
    tool('build', '.ci/build', { args: ['--noCheck'], phase: 'first' }),
    // The integration tests are split into four steps, and the end-to-end tests into two, because one process would
    // otherwise run long after all others.
    mocha('daemon', { args: [DAEMONS_ROOMS, ...except(notNow)], environment: longRun, timeoutMs: limitMs }),
    mocha('integration', {
      args: [
        'test/integration/**/*.test.ts',
        ...except([DAEMONS_ROOMS, CLIENTS_ROOMS, PAYMENTS_ROOMS, ...notNow]),
      ],
      environment: { ...longRun, ANSWERS_DIRECTORY: answers },
      timeoutMs: limitMs,
    }),
    mocha('payments', {
      args: [PAYMENTS_ROOMS, ...except(notNow)],
      environment: { ...longRun, ANSWERS_DIRECTORY: answers },
      timeoutMs: limitMs,
    }),
    mocha('api', {
      args: [CLIENTS_ROOMS],
      environment: { ...longRun, ANSWERS_DIRECTORY: answers },
      timeoutMs: limitMs,
    }),
    // The end-to-end and chaos tests mostly wait for blocks, so that CPU-bound steps can run concurrently.
    mocha('e2e', {
      args: [...inThisOrder(SHARING_TESTS), 'test/e2e/**/*.test.ts', ...except([...CHAINS_TESTS, ...notNow])],
      usesBuild: true,
      environment: longRun,
      timeoutMs: limitMs,
    }),
    // `npm run test:long` ends with a table of networks and cases.
    mocha('chains', {
      args: CHAINS_TESTS.filter(isExecuted),
      usesBuild: true,
      environment: longRun,
      timeoutMs: limitMs,
      isShown: isLong,
    }),
    // Opens the pages in a real browser, checks them with axe, and pays through them.
    mocha('browser', { usesBuild: true, environment: longRun, timeoutMs: limitMs }),
    mocha('unit'),
    mocha('chaos', {
      args: ['test/chaos/**/*.test.ts', ...except(notNow)],
      usesBuild: true,
      environment: longRun,
      timeoutMs: limitMs,
    }),
    // The short run of each bench, so that no bench stops working unnoticed.
    mocha('bench', { environment: longRun, timeoutMs: limitMs }),
    mocha('simulation', {
      args: ['test/simulation/**/*.test.ts', ...except(notNow)],
      environment: longRun,
      timeoutMs: limitMs,
    }),
    ...(isLong
      ? ['soak', 'history'].map((layer) =>
          mocha(layer, { usesBuild: true, environment: longRun, timeoutMs: limitMs }),
        )
      : []),
    // Includes the type check, because lint needs the types anyway and computes them in a third of the compiler's time.
    tool('lint', 'npm', { args: ['run', '--silent', 'lint'] }),
    ...(isLong ? [tool('types', 'tsc', { args: ['--noEmit'] })] : []),
    tool('mutation', 'node', {
      args: ['--import', 'tsx', 'test/mutation/main.ts', ...(isLong ? [] : ['--cheap', '--sample', '2'])],
      timeoutMs: limitMs,
    }),
    tool('contracts', 'npm', {
      args: ['run', '--silent', 'test:contracts'],
      tests: 'forge',
      environment: forgeProfile,
      timeoutMs: limitMs,
    }),
    mocha('property', { environment: longRun, timeoutMs: limitMs }),
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

type Options = Partial<Omit<Step, 'name' | 'command' | 'directory'>>

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
