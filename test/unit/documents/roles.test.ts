import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { expect } from 'chai'
import { parse } from 'yaml'

const REPOSITORY = resolve(import.meta.dirname, '../../..')

describe('the database roles that operators are told to make', () => {
  it('are the same with containers and without', async () => {
    const [script, compose] = await Promise.all(
      ['docs/ops/roles.sql', 'compose.yaml'].map((path) => readFile(join(REPOSITORY, path), 'utf8')),
    )
    const { configs } = parse(compose ?? '') as { configs: { roles: { content: string } } }
    expect(statements(script ?? '')).to.deep.equal(statements(configs.roles.content))
  })
})

/** Without comments, and without where the passwords come from. */
function statements(sql: string): readonly string[] {
  return sql
    .replaceAll(/^\s*--.*$/gm, '')
    .replaceAll(/password (?:'\$\{[^}]*\}'|:\w+)/g, 'password …')
    .split(';')
    .map((statement) => statement.trim())
    .filter(Boolean)
}
