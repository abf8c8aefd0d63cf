import { readFile } from 'node:fs/promises'
import { expect } from 'chai'

import { ours, runTool, withPlantedTree } from './plant.ts'

describe('the type check', () => {
  it('fails on a planted type error and on a Node global in browser code', async () => {
    const { exitCode, output } = await withPlantedTree(
      {
        'tsconfig.json': await readFile(ours('tsconfig.json'), 'utf8'),
        'api/checkout/browser/tsconfig.json': await readFile(
          ours('api/checkout/browser/tsconfig.json'),
          'utf8',
        ),
        'api/checkout/browser/no-node.ts': 'export const it = process.pid\n',
        'shared/domain/wrong.ts': "export const amount: bigint = '1'\n",
      },
      (directory) =>
        runTool('oxlint', ['--type-aware', '--type-check', '--format', 'unix', 'shared', 'api'], directory),
    )
    expect(output).to.match(/shared\/domain\/wrong\.ts:1:14: .*TS2322/)
    expect(output).to.match(/api\/checkout\/browser\/no-node\.ts:1:19: .*TS2591/)
    expect(exitCode).to.be.greaterThan(0)
  }).timeout(240_000)
})

describe('the format check', () => {
  it('fails on planted double quotes and on unsorted imports', async () => {
    const files = {
      'biome.json': await readFile(ours('biome.json'), 'utf8'),
      'api/double-quotes.ts': 'export const a = "text"\n',
      'api/unsorted.ts': "import { b } from './b.ts'\nimport { a } from './a.ts'\n\nexport const c = a + b\n",
    }
    const { exitCode, output } = await withPlantedTree(files, (directory) =>
      runTool('biome', ['ci', '--vcs-enabled=false', '--reporter=json'], directory),
    )
    expect(output).to.include('double-quotes.ts').and.to.include('unsorted.ts')
    expect(exitCode).to.equal(1)
  })
})

describe('the dead-code check', () => {
  it('fails on an unused file, an unused export and an unused package', async () => {
    const files = {
      'knip.jsonc': await readFile(ours('knip.jsonc'), 'utf8'),
      'package.json': JSON.stringify({ type: 'module', dependencies: { koa: '*' } }),
      'api/main.ts': "import { used } from './verb.ts'\n\nused()\n",
      'api/verb.ts': 'export function used(): void {}\nexport function unused(): void {}\n',
      'api/forgotten.ts': 'export const a = 1\n',
    }
    const { exitCode, output } = await withPlantedTree(files, (directory) =>
      runTool('knip', ['--reporter', 'compact'], directory),
    )
    expect(output).to.include('api/forgotten.ts').and.to.include('unused').and.to.include('koa')
    expect(exitCode).to.equal(1)
  }).timeout(240_000)
})
