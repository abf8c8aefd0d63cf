import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { CommandLine, ServicePlan } from '../devnet/service.ts'

const REPOSITORY = resolve(import.meta.dirname, '../..')

/**
 * Extracts another commit of this repository into a new directory, runs that commit's `npm run build`, and returns how
 * to run the commit's processes.
 *
 * Uses our packages if the commit's lock file equals ours. Otherwise installs the commit's packages, from npm's cache
 * if possible. Gives the build its own version, like a release, because a build recognizes by the version which charges
 * another build quarantined.
 *
 * @throws {Error} if the checkout lacks the commit, for example because it is shallow
 */
export function checkOutBuild(commit: string, directory: string): NonNullable<ServicePlan['confine']> {
  const sources = git(['archive', commit])
  mkdirSync(directory)
  execFileSync('tar', ['-xf', '-', '-C', directory], { input: sources })
  const lockFile = (root: string) => readFileSync(join(root, 'package-lock.json'), 'utf8')
  if (lockFile(directory) === lockFile(REPOSITORY))
    symlinkSync(join(REPOSITORY, 'node_modules'), join(directory, 'node_modules'))
  else run(['ci', '--prefer-offline', '--no-audit', '--no-fund'], directory)
  run(['pkg', 'set', `version=0.0.0-${commit.slice(0, 12)}`], directory)
  run(['run', '--silent', 'build'], directory)
  return ({ kind }): CommandLine => ({
    command: process.execPath,
    args: ['--disable-warning=ExperimentalWarning', '--enable-source-maps', `dist/${kind}/main.js`],
    cwd: directory,
  })
}

function git(args: readonly string[]): Buffer {
  try {
    return execFileSync('git', args, {
      cwd: REPOSITORY,
      maxBuffer: 2 ** 28,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  } catch (cause) {
    throw new Error(`git ${args.join(' ')} failed: this needs the whole history (git fetch --unshallow)`, {
      cause,
    })
  }
}

function run(args: readonly string[], cwd: string): void {
  execFileSync('npm', args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] })
}
