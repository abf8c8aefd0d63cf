import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { expect } from 'chai'
import { parse } from 'yaml'

const REPOSITORY = resolve(import.meta.dirname, '../../..')

describe('the database roles that operators are instructed to create', () => {
  it('are the same with and without containers', async () => {
    const [script, compose] = await Promise.all(
      ['docs/ops/roles.sql', 'compose.yaml'].map((path) => readFile(join(REPOSITORY, path), 'utf8')),
    )
    const { configs } = parse(compose ?? '') as Compose
    expect(statements(script ?? '')).to.deep.equal(statements(configs.roles.content))
  })

  it('are followed by the same grants with and without containers', async () => {
    const [script, compose] = await Promise.all(
      ['docs/ops/roles.sql', 'compose.yaml'].map((path) => readFile(join(REPOSITORY, path), 'utf8')),
    )
    const { configs, services } = parse(compose ?? '') as Compose
    expect(script).to.match(/^\\ir catalog-rights\.sql$/m)
    expect(configs['catalog-rights']).to.deep.equal({ file: 'docs/ops/catalog-rights.sql' })
    const run = services.postgres.configs.toSorted((one, other) => (one.target < other.target ? -1 : 1))
    expect(run.map(({ source }) => source)).to.deep.equal(['roles', 'catalog-rights'])
  })
})

type Compose = {
  readonly configs: { readonly roles: { readonly content: string }; readonly 'catalog-rights': unknown }
  readonly services: { readonly postgres: { readonly configs: { source: string; target: string }[] } }
}

function statements(sql: string): readonly string[] {
  return sql
    .replaceAll(/^\s*--.*$/gm, '')
    .replaceAll(/^\\.*$/gm, '')
    .replaceAll(/password (?:'\$\{[^}]*\}'|:\w+)/g, 'password …')
    .split(';')
    .map((statement) => statement.trim())
    .filter(Boolean)
}
