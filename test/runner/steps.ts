/** One command of the test run. */
export type Step = {
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
  /** Whose summary counts the tests; `null` if the step has none. */
  readonly tests: 'mocha' | 'forge' | null
  /** Whether nothing else may run beside it. */
  readonly alone: boolean
  readonly timeoutMs: number
  readonly environment: Readonly<Record<string, string>>
}

const MINUTE = 60_000

/** Every step, the longest of those that run side by side first, so that both lanes end together. */
export function steps(isLong: boolean): readonly Step[] {
  const forgeProfile = { FOUNDRY_PROFILE: isLong ? 'long' : 'ci' }
  // Read by the tests that have a seeded sample of something longer: every kill point, a million rows.
  const longRun: Record<string, string> = isLong ? { TEST_LONG: '1' } : {}
  const limitMs = (isLong ? 120 : 9) * MINUTE
  return [
    tool('contracts', 'npm', {
      args: ['run', '--silent', 'test:contracts'],
      tests: 'forge',
      environment: forgeProfile,
      timeoutMs: limitMs,
    }),
    mocha('integration', { environment: longRun, timeoutMs: limitMs }),
    mocha('unit'),
    mocha('property', { environment: longRun, timeoutMs: limitMs }),
    tool('types', 'tsc', { args: ['--noEmit'] }),
    tool('lint', 'oxlint', { args: ['--type-aware'] }),
    tool('rooms', 'npm', { args: ['run', '--silent', 'rooms'] }),
    tool('dead', 'knip', { args: [] }),
    tool('format', 'biome', { args: ['ci', '--colors=off'] }),
    // The end-to-end tests run what is shipped.
    tool('build', 'npm', { args: ['run', '--silent', 'build'] }),
    mocha('e2e', { alone: true, environment: longRun, timeoutMs: limitMs }),
    mocha('chaos', { alone: true, environment: longRun, timeoutMs: limitMs }),
  ]
}

type Options = Partial<Pick<Step, 'tests' | 'alone' | 'timeoutMs' | 'environment'>>

function tool(name: string, command: string, { args, ...options }: Options & { args: string[] }): Step {
  return {
    name,
    command,
    args,
    tests: null,
    alone: false,
    timeoutMs: 3 * MINUTE,
    environment: {},
    ...options,
  }
}

function mocha(layer: string, options: Options = {}): Step {
  return tool(layer, 'mocha', { args: [`test/${layer}/**/*.test.ts`], tests: 'mocha', ...options })
}
