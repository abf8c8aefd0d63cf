import { createRequire } from 'node:module'
import { relative, resolve } from 'node:path'
import { expect } from 'chai'
import { steps } from '../../runner/steps.ts'

/** Resolves a pattern like mocha. Not part of mocha's public interface. */
const { lookupFiles } = createRequire(import.meta.url)('mocha/lib/cli/lookup-files.js') as {
  readonly lookupFiles: (pattern: string, extensions: readonly string[], isRecursive: boolean) => string[]
}

const REPOSITORY = resolve(import.meta.dirname, '../../..')

describe('the steps of the test run', () => {
  // Mocha treats a pattern with only braces as a file name, and reports a missing file only for the last pattern.
  it('execute every test file once, and have no pattern without files', () => {
    expect(executed({ isLong: true })).to.deep.equal(find('test/**/*.test.ts').toSorted())
  })

  it('leave only the soak, the history and twenty-two other files to `npm run test:long`', () => {
    const short = executed({ isLong: false })
    const left = executed({ isLong: true }).filter(
      (file) => !short.includes(file) && !/^test.(soak|history)/.test(file),
    )
    const endToEnd = [
      'dishonest-nodes',
      'everything',
      'failover',
      'faulty-nodes',
      'keeper',
      'networks/networks',
      'node-budgets',
      'operations-guide',
      'outage',
      'previous-build',
      'reorganization',
      'restore',
      'rolling-restart',
      'sleeping',
    ].map((name) => `test/e2e/${name}.test.ts`)
    const chaos = ['money-audit', 'webhook-kills'].map((name) => `test/chaos/${name}.test.ts`)
    const integration = [
      'chain-feed/arc-feed',
      'chain-feed/repaired-feed',
      'devnet/devnet',
      'devnet/embedded-postgres',
      'tron/tron-sleeping',
    ].map((name) => `test/integration/${name}.test.ts`)
    const simulation = ['test/simulation/run-seeds.test.ts']
    expect(left).to.deep.equal([...chaos, ...endToEnd, ...integration, ...simulation])
  })
})

function executed({ isLong }: { isLong: boolean }): readonly string[] {
  const tests = steps({ isLong, answers: '' }).filter(({ command }) => command === 'mocha')
  return tests.flatMap(({ args }) => filesOf(args)).toSorted()
}

/** Returns the files that mocha's arguments select: from `--file` and the patterns, without those from `--ignore`. */
function filesOf(args: readonly string[]): readonly string[] {
  const after = (option: string) => args.filter((_, index) => args[index - 1] === option).flatMap(find)
  const ignored = new Set(after('--ignore'))
  const found = args
    .filter((pattern, index) => !pattern.startsWith('--') && args[index - 1]?.startsWith('--') !== true)
    .flatMap(find)
  return [...after('--file'), ...found.filter((file) => !ignored.has(file))]
}

/** @throws if no file matches */
function find(pattern: string): readonly string[] {
  return lookupFiles(resolve(REPOSITORY, pattern), ['ts'], false).map((file) => relative(REPOSITORY, file))
}
