/** An invalid configuration, with all of its problems. */
export class ConfigError extends Error {
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(['The configuration is not valid:', ...problems.map((problem) => `  ${problem}`)].join('\n'))
    this.name = 'ConfigError'
    this.problems = problems
  }
}

/**
 * Executes `--check-config`: prints every problem of a configuration, or "configuration is valid".
 *
 * @returns the exit code: 0 if the configuration is valid, otherwise 1
 */
export function checkConfig(
  read: () => unknown,
  output: { write: (text: string) => unknown } = process.stdout,
): 0 | 1 {
  try {
    read()
    output.write('configuration is valid\n')
    return 0
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    output.write(`${error.message}\n`)
    return 1
  }
}
