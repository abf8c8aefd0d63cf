import { readdirSync, readFileSync } from 'node:fs'
import { expect } from 'chai'

import { NETWORKS } from '../../../shared/domain/networks.ts'
import { findFamilyConditions } from './find-family-conditions.ts'
import { ours } from './plant.ts'

/** The files that may distinguish families and networks. */
const TABLES = [
  /^shared\/domain\/chain-families\//,
  /-by-family\.ts$/, // tables for facts that do not belong in the domain
  /^shared\/domain\/(address|networks|network-registry)\.ts$/,
  /^api\/client\/api-types\.ts$/, // generated
]

const VIOLATIONS: Readonly<Record<string, string>> = {
  'a comparison': "export const f = (c: { family: string }): boolean => c.family === 'tron'",
  'a comparison with a network': "export const f = (n: string): boolean => 'arc' !== n",
  'a case': "export function f(a: string): number { switch (a) { case 'evm': return 1; default: return 2 } }",
  'a list': "export const PAYABLE: readonly string[] = ['evm']",
  'an argument': "export const f = (a: string): boolean => a.startsWith('bnb')",
  'a default': "export const f = (family = 'evm'): string => family",
  'a table': 'export const HEIGHTS = { evm: 1, other: 2 }',
  'a row read from a table': 'export const f = (t: { tron: number }): number => t.tron',
  'a row destructured from a table': 'export const f = ({ evm }: { evm: number }): number => evm',
  SQL: "export const f = (db: unknown, id: string) => [db, `select where id = ${id} and family = 'evm'`]",
}

describe('the check for network families', () => {
  for (const [kind, text] of Object.entries(VIOLATIONS)) {
    it(`finds a planted violation: ${kind}`, () => {
      expect(findFamilyConditions('api/planted.ts', text)).to.have.lengthOf(1)
    })
  }

  it('finds no violation in an example of the API document', () => {
    const text = "export const EXAMPLE = { token: 'USDC', network: 'base' }"
    expect(findFamilyConditions('api/planted.ts', text)).to.deep.equal([])
  })

  it('finds no violation in a table of all networks', () => {
    const rows = NETWORKS.map((network) => `${network}: 1`).join()
    expect(findFamilyConditions('api/planted.ts', `export const HEIGHTS = { ${rows} }`)).to.deep.equal([])
  })

  it('finds conditions on families or networks only in the allowed files', () => {
    const paths = sources().filter((path) => !TABLES.some((table) => table.test(path)))
    expect(paths).to.have.lengthOf.above(300)
    const found = paths.flatMap((path) => findFamilyConditions(path, readFileSync(ours(path), 'utf8')))
    expect(found, 'put the difference into shared/domain/chain-families').to.deep.equal([])
  })
})

function sources(): readonly string[] {
  return ['api', 'indexer', 'machines', 'shared'].flatMap((tree) =>
    readdirSync(ours(tree), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .map((path) => `${tree}/${path}`),
  )
}
