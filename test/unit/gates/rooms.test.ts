import { readdirSync } from 'node:fs'
import { expect } from 'chai'
import type { IConfiguration } from 'dependency-cruiser'
import { LAYERS_TOP_DOWN } from '../../../.dependency-cruiser.mjs'
import { ours, runTool, type Verdict, withPlantedTree } from './plant.ts'

/** One violation of each rule: a file, and its forbidden import. */
const PLAIN: Readonly<Record<string, { from: string; to: string }>> = {
  'no-cycles': { from: 'api/first.ts', to: './second.ts' },
  'no-unresolvable': { from: 'api/lost.ts', to: './nowhere.ts' },
  'domain-imports-only-itself': { from: 'shared/domain/reads-rows.ts', to: '../db/rows.ts' },
  'domain-is-pure': { from: 'shared/domain/reads-files.ts', to: 'node:fs' },
  'machines-are-pure': { from: 'machines/queries.ts', to: '../shared/db/rows.ts' },
  'shared-folders-are-independent': { from: 'shared/chain/stores.ts', to: '../db/rows.ts' },
  'no-imports-between-indexer-and-api': { from: 'api/shortcut.ts', to: '../indexer/actor.ts' },
  'client-imports-no-server-code': { from: 'api/client/insider.ts', to: '../route.ts' },
  'no-imports-of-main': { from: 'indexer/borrower.ts', to: './main.ts' },
  'no-tests-in-production-code': { from: 'indexer/fake.ts', to: '../test/fake.ts' },
  'history-checker-is-independent': { from: 'test/history/checker/peeks.ts', to: '../../fake.ts' },
  'ponder-only-through-database': { from: 'indexer/peek.ts', to: './ponder/schema.ts' },
  'ponder-only-through-library': { from: 'indexer/ponder/recompiles.ts', to: 'ponder' },
  'no-daemon-queries-in-api': {
    from: 'api/peeks.ts',
    to: '../shared/db/payouts/daemon/due.ts',
  },
  'no-api-queries-in-daemon': {
    from: 'indexer/peeks.ts',
    to: '../shared/db/charges/api/list.ts',
  },
  'sql-only-in-shared-db': { from: 'api/query.ts', to: 'postgres' },
  'artifacts-only-through-shared': { from: 'api/bytecode.ts', to: '../contracts/artifacts/Split.json' },
  'no-dev-dependencies-in-production': { from: 'api/checks.ts', to: 'chai' },
}

/** One violation for each room except the highest of its tree: a file that imports from the next higher room. */
const UPWARD: Readonly<Record<string, { from: string; to: string }>> = Object.fromEntries(
  Object.entries(LAYERS_TOP_DOWN).flatMap(([tree, rooms]) =>
    rooms
      .slice(1)
      .map((room, at) => [
        `${tree}/${room}-layering`,
        { from: `${tree}/${room}/climbs.ts`, to: `../${rooms[at]}/it.ts` },
      ]),
  ),
)

const VIOLATIONS = { ...PLAIN, ...UPWARD }

type Report = {
  summary: { violations: { from: string; rule: { name: string } }[] }
}

describe('the check for imports between rooms', () => {
  it('has a planted violation for every rule', async () => {
    const rules = await readRules()
    expect(Object.keys(VIOLATIONS)).to.deep.equal(rules.map((rule) => rule.name))
  })

  it('has a comment that ends with a full stop for every rule', async () => {
    for (const rule of await readRules()) expect(rule.comment, rule.name).to.match(/\.\)?$/)
  })

  it('finds every planted violation', async () => {
    const report = await withPlantedTree(plantedTree(), readReport)
    const found = report.summary.violations.map(({ from, rule }) => `${rule.name}: ${from}`)
    for (const [rule, { from }] of Object.entries(VIOLATIONS)) expect(found).to.include(`${rule}: ${from}`)
  }).timeout(240_000)

  it('exits with an error code if it finds a violation', async () => {
    const { exitCode } = await withPlantedTree(plantedTree(), (directory) => cruise(directory, 'err'))
    expect(exitCode).to.be.greaterThan(0)
  }).timeout(240_000)

  it('assigns every folder of the daemon, the API and the database to a layer', () => {
    for (const [tree, rooms] of Object.entries(LAYERS_TOP_DOWN)) {
      const folders = readdirSync(ours(tree), { withFileTypes: true }).filter((entry) => entry.isDirectory())
      const names = folders.map(({ name }) => name).filter((name) => name !== 'migrations')
      expect(rooms, tree).to.include.members(names)
    }
  })
})

async function readRules(): Promise<NonNullable<IConfiguration['forbidden']>> {
  const configuration = (await import(ours('.dependency-cruiser.mjs'))) as { default: IConfiguration }
  return configuration.default.forbidden ?? []
}

async function readReport(directory: string): Promise<Report> {
  const { output } = await cruise(directory, 'json')
  return JSON.parse(output) as Report
}

/** Runs the check like `npm run layers`. Only the `err` report ends with a failing exit code. */
function cruise(directory: string, report: 'err' | 'json'): Promise<Verdict> {
  const rooms = ['shared', 'machines', 'indexer', 'api', 'test', 'contracts/script']
  const args = ['--config', ours('.dependency-cruiser.mjs'), '--output-type', report, ...rooms]
  return runTool('depcruise', args, directory)
}

function plantedTree(): Record<string, string> {
  const innocent = Object.fromEntries(
    [
      'shared/db/rows',
      'shared/db/payouts/daemon/due',
      'shared/db/charges/api/list',
      'api/route',
      'indexer/actor',
      'indexer/main',
      'indexer/ponder/schema',
      'machines/charge',
      'test/fake',
    ]
      .concat('shared/runtime/clock', 'contracts/script/write')
      .map((path) => [`${path}.ts`, 'export const it = 1\n']),
  )
  const above = Object.fromEntries(
    Object.entries(LAYERS_TOP_DOWN).flatMap(([tree, rooms]) =>
      rooms.map((room) => [`${tree}/${room}/it.ts`, 'export const it = 1\n']),
    ),
  )
  const guilty = Object.fromEntries(
    Object.values(VIOLATIONS).map(({ from, to }) => [from, `import '${to}'\nexport const it = 1\n`]),
  )
  return {
    ...innocent,
    ...above,
    ...guilty,
    'api/second.ts': "import './first.ts'\nexport const it = 1\n",
    'contracts/artifacts/Split.json': '{}',
    'package.json': JSON.stringify({ dependencies: { postgres: '*' }, devDependencies: { chai: '*' } }),
    'tsconfig.json': JSON.stringify({ compilerOptions: { module: 'nodenext' } }),
  }
}
