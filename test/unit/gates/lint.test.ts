import { readFile } from 'node:fs/promises'
import { expect } from 'chai'

import { ours, ROOMS, runTool, withPlantedTree } from './plant.ts'

/** A violation of each rule that our configuration enables by name. */
const VIOLATIONS: Readonly<Record<string, string>> = {
  'typescript/no-floating-promises': 'export async function f(): Promise<void> { f() }',
  'typescript/no-misused-promises':
    'export const f = (): unknown => setTimeout(async () => { await f() }, 1)',
  'typescript/await-thenable': 'export const f = async (): Promise<number> => await 1',
  'typescript/switch-exhaustiveness-check':
    "export function f(a: 'x' | 'y'): void { switch (a) { case 'x': return } }",
  'typescript/only-throw-error': "export function f(): never { throw 'text' }",
  'typescript/no-explicit-any': 'export type T = any',
  'typescript/no-non-null-assertion': 'export const f = (a: string | null): string => a!',
  'typescript/consistent-type-imports': "import { Server } from 'node:net'\nexport type T = Server",
  'typescript/ban-ts-comment': '// @ts-ignore\nexport const a: number = 1',
  'import/no-default-export': 'export default 1',
  'import/extensions': "export { a } from './other'",
  'oxc/no-barrel-file': "export * from './other.ts'",
  'eslint/no-console': "console.log('text')",
  'eslint/eqeqeq': 'export const f = (a: number, b: number): boolean => a == b',
  'eslint/prefer-const': 'let a = 1\nexport const b = a',
  'eslint/no-var': 'export var a = 1',
  'eslint/max-params':
    'export const f = (a: number, b: number, c: number, d: number): number => a + b + c + d',
  'node/no-process-env': 'export const a = process.env',
  'eslint/no-restricted-properties':
    'export const f = (a: { waitForTransactionReceipt: () => unknown }): unknown => a.waitForTransactionReceipt()',
}

type Configuration = { rules: Record<string, unknown> }
type Report = { diagnostics: { code: string; filename: string }[] }

describe('the lint check', () => {
  it('has a planted violation for every rule enabled by name', async () => {
    const { rules } = await readConfiguration()
    const switchedOn = Object.keys(rules).filter((name) => rules[name] !== 'off')
    expect(Object.keys(VIOLATIONS)).to.have.members(switchedOn)
  })

  it('has a reason on the line of every rule that its configuration disables', async () => {
    const lines = (await readFile(ours('.oxlintrc.json'), 'utf8')).split('\n')
    const withoutReason = lines.filter((line) => line.includes('": "off"') && !/\/\/ \S+ \S+/.test(line))
    expect(withoutReason).to.deep.equal([])
  })

  it('exits 1 and reports every planted violation', async () => {
    const { exitCode, output } = await withPlantedTree(await plantedTree(), (directory) =>
      runTool('oxlint', ['--type-aware', '--format', 'json'], directory),
    )
    const found = (JSON.parse(output) as Report).diagnostics.map(
      ({ code, filename }) => `${code} ${filename}`,
    )
    for (const rule of Object.keys(VIOLATIONS)) {
      const [plugin, name] = rule.split('/')
      expect(found).to.include(`${plugin}(${name}) ${fileOf(rule)}`)
    }
    expect(exitCode).to.equal(1)
  }).timeout(240_000)

  it('reads files of every room', async () => {
    const { output } = await runTool('oxlint', ['--debug=files'])
    const files = output.split('\n')
    for (const room of ROOMS) {
      expect(
        files.filter((file) => file.startsWith(`${room}/`)),
        room,
      ).to.not.be.empty
    }
  })
})

function fileOf(rule: string): string {
  return `api/${rule.replace('/', '-')}.ts`
}

async function plantedTree(): Promise<Record<string, string>> {
  const guilty = Object.entries(VIOLATIONS).map(([rule, text]) => [fileOf(rule), `${text}\n`])
  return {
    ...(Object.fromEntries(guilty) as Record<string, string>),
    'api/other.ts': 'export const a = 1\n',
    '.oxlintrc.json': await readFile(ours('.oxlintrc.json'), 'utf8'),
    'tsconfig.json': await readFile(ours('tsconfig.json'), 'utf8'),
  }
}

/** Reads the configuration, which is JSON with `//` comments. */
async function readConfiguration(): Promise<Configuration> {
  const text = await readFile(ours('.oxlintrc.json'), 'utf8')
  return JSON.parse(text.replaceAll(/(^|\s)\/\/.*$/gm, '')) as Configuration
}
