import { spawnSync } from 'node:child_process'

/**
 * Returns `describe` if this machine can run the program. Otherwise returns a function that only prints that the
 * tests are skipped. The function registers no tests, because the run rejects pending tests.
 */
export function describeIfInstalled(
  program: string,
): (title: string, suite: (this: Mocha.Suite) => void) => void {
  if (spawnSync(program, ['--version']).error === undefined) return describe
  return (title) => console.log(`  skipped, because ${program} is not installed: ${title}`)
}
