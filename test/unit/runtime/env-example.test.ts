import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import {
  API_SETTINGS,
  CLIENT_SETTINGS,
  INDEXER_SETTINGS,
  KEEPER_SETTINGS,
  KEYS_SETTINGS,
  MIGRATION_SETTINGS,
} from '../../../shared/runtime/settings.ts'

const SCHEMAS = [
  API_SETTINGS,
  INDEXER_SETTINGS,
  MIGRATION_SETTINGS,
  KEYS_SETTINGS,
  KEEPER_SETTINGS,
  CLIENT_SETTINGS,
]

const settings = new Map(SCHEMAS.flatMap((schema) => Object.entries(schema.properties)))
const required = new Set<string>(SCHEMAS.flatMap((schema) => schema.required ?? []))

const example = [...readFileSync('.env.example', 'utf8').matchAll(/^(# )?([A-Z][A-Z0-9_]+)=(.*)$/gm)].map(
  ([, comment, name = '', value = '']) => ({ name, value, isOptional: comment !== undefined }),
)

describe('.env.example', () => {
  it('lists exactly the settings that the processes read, each once', () => {
    const names = example.map(({ name }) => name)
    expect(names.toSorted()).to.deep.equal([...settings.keys()].toSorted())
  })

  it('shows the default of every setting that has one', () => {
    const wrong = example.filter(({ name, value }) => {
      const fallback: string | number | undefined = settings.get(name)?.['default']
      return fallback !== undefined && String(fallback) !== value
    })
    expect(wrong).to.deep.equal([])
  })

  it('comments out exactly the optional settings without a default', () => {
    const optional = example.filter(({ isOptional }) => isOptional).map(({ name }) => name)
    expect(optional.filter((name) => required.has(name))).to.deep.equal([])
    const expected = [...settings.keys()].filter((name) => !required.has(name))
    expect(optional.toSorted()).to.deep.equal(expected.toSorted())
  })
})
