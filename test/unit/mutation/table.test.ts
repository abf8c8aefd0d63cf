import { existsSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { GUARDED } from '../../mutation/guarded-rules.ts'
import { fileOf, type Mutant } from '../../mutation/mutant.ts'
import { MUTANTS } from '../../mutation/mutants.ts'
import { mutate } from '../../mutation/mutate.ts'
import { findUnknownNames } from '../../mutation/names.ts'
import { byFile } from '../../mutation/run-proof.ts'
import { ours } from '../gates/plant.ts'

const text = (path: string) => readFileSync(ours(path), 'utf8')

describe('the table of mutants', () => {
  it('contains only mutants whose code occurs once, whose names exist, and whose test exists', () => {
    expect(MUTANTS.flatMap(problemsOf)).to.deep.equal([])
  })

  it('names tests by titles that are not part of other titles, so that tests can be counted', () => {
    const titles = byFile(MUTANTS.map(({ test }) => test)).flatMap(({ titles: all }) =>
      all.filter((title) => isPart(title, all)),
    )
    expect(titles).to.deep.equal([])
  })

  it('contains each rule once', () => {
    expect(new Set(MUTANTS.map(({ rule }) => rule)).size).to.equal(MUTANTS.length)
  })

  it('has a mutant for each rule that an attack on the service revealed', () => {
    const rules = new Set(MUTANTS.map(({ rule }) => rule))
    expect(GUARDED).to.have.length.above(25)
    for (const { rule, rows } of GUARDED) {
      expect(rows, rule).to.have.length.above(0)
      expect(
        rows.filter((row) => !rules.has(row)),
        rule,
      ).to.deep.equal([])
    }
  })
})

/**
 * Whether a title is part of another title. A title that ends with a space may be, because it is the beginning of
 * several titles.
 */
function isPart(title: string, titles: readonly string[]): boolean {
  return !title.endsWith(' ') && titles.some((other) => other !== title && other.includes(title))
}

/** An unknown name is a problem, because any test would fail, which proves nothing about the rule. */
function problemsOf(mutant: Mutant): readonly string[] {
  const { file, title } = mutant.test
  if (!existsSync(ours(fileOf(mutant)))) return [`${fileOf(mutant)} does not exist`]
  if (!existsSync(ours(file)) || !text(file).includes(title)) return [`${file} has no test “${title}”`]
  const original = text(fileOf(mutant))
  try {
    const mutated = mutate(original, mutant)
    if (!fileOf(mutant).endsWith('.ts')) return []
    const unknown = findUnknownNames(original, mutated)
    return unknown.map((name) => `“${mutant.rule}”: the name ${name} does not exist, so any test would fail`)
  } catch (error) {
    return [String(error)]
  }
}
