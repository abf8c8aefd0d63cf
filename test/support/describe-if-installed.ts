import { spawnSync } from 'node:child_process'

/**
 * Returns `describe` if this machine can run the program. Otherwise returns a function that prints that the tests are
 * skipped, and registers none, because mocha is configured to fail for pending tests.
 */
export function describeIfInstalled(
  program: string,
): (title: string, suite: (this: Mocha.Suite) => void) => void {
  if (spawnSync(program, ['--version']).error === undefined) return describe
  return (title) => console.log(`  skipped, because ${program} is not installed: ${title}`)
}
