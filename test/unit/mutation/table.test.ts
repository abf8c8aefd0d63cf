import { existsSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { GUARDED } from '../../mutation/guarded-rules.ts'
import { type Mutant, mutate } from '../../mutation/mutant.ts'
import { MUTANTS } from '../../mutation/mutants.ts'
import { ours } from '../gates/plant.ts'

const text = (path: string) => readFileSync(ours(path), 'utf8')

describe('the table of mutants', () => {
  it('replaces text that occurs once in the code, and names existing tests', () => {
    expect(MUTANTS.flatMap(problemsOf)).to.deep.equal([])
  })

  it('names each rule once', () => {
    expect(new Set(MUTANTS.map(({ rule }) => rule)).size).to.equal(MUTANTS.length)
  })

  it('has a row for each rule that was found by attacking the service', () => {
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

  it('rejects an edit whose text occurs twice, or not at all', () => {
    const mutant: Mutant = { rule: 'r', file: 'f', take: 'a', put: '', test: { file: 't', title: 'i' } }
    expect(() => mutate('aa', mutant)).to.throw('stands 2 times in f, not once')
    expect(() => mutate('b', mutant)).to.throw('stands 0 times in f, not once')
    expect(mutate('bac', mutant)).to.equal('bc')
  })
})

function problemsOf(mutant: Mutant): readonly string[] {
  const { file, title } = mutant.test
  if (!existsSync(ours(mutant.file))) return [`${mutant.file} is not there`]
  if (!existsSync(ours(file)) || !text(file).includes(title)) return [`${file} has no test “${title}”`]
  try {
    mutate(text(mutant.file), mutant)
    return []
  } catch (error) {
    return [String(error)]
  }
}
