import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { ours } from '../gates/plant.ts'

const SOURCES = /\.(ts|sql|sol|md|yaml|mjs|cjs)$|^\.env\.example$/

/** `decisions 3.4`, `decisions 1.3, 1.4 and 3.1`, `decisions 3.5 to 3.7`. */
const CITATION = /\bdecisions? ((?:\d+\.\d+)(?:(?:, | and | to )\d+\.\d+)*)/g

function sources(): readonly { readonly path: string; readonly text: string }[] {
  const listed = execFileSync('git', ['ls-files'], { cwd: ours('.'), encoding: 'utf8' })
  return listed
    .split('\n')
    .filter((path) => SOURCES.test(path))
    .map((path) => ({ path, text: readFileSync(ours(path), 'utf8') }))
}

describe('the sources and documents', () => {
  it('cite only pages of docs that are in the repository', () => {
    const others = /\b(?:design|style|networks|ponder|contracts|api-stack|tron|arc|swap)\.md\b/g
    const paths = new Set(sources().map(({ path }) => path))
    const missing = sources()
      .filter(({ path }) => path !== 'test/unit/documents/citations.test.ts')
      .flatMap(({ path, text }) => [...text.matchAll(others)].map(([name]) => ({ path, name })))
      .filter(({ name }) => !paths.has(`docs/${name}`))
    expect(missing).to.deep.equal([])
  })
})

describe('docs/decisions.md', () => {
  const entries = new Set(
    [...readFileSync(ours('docs/decisions.md'), 'utf8').matchAll(/^\*\*(\d+\.\d+) /gm)].map(
      ([, number]) => number,
    ),
  )

  it('contains every decision that a source or document cites', () => {
    const cited = sources().flatMap(({ path, text }) =>
      [...text.matchAll(CITATION)].flatMap(([, numbers = '']) =>
        numbers.split(/, | and | to /).map((number) => ({ path, number })),
      ),
    )
    expect(cited.length).to.be.greaterThan(80)
    expect(cited.filter(({ number }) => !entries.has(number))).to.deep.equal([])
  })

  it('numbers its entries in ascending order', () => {
    const order = [...entries].toSorted((a = '', b = '') => a.localeCompare(b, 'en', { numeric: true }))
    expect([...entries]).to.deep.equal(order)
  })
})
