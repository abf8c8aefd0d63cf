import { existsSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { type Mutant, mutate } from '../../mutants/mutant.ts'
import { MUTANTS } from '../../mutants/table.ts'
import { ours } from '../gates/plant.ts'

const text = (path: string) => readFileSync(ours(path), 'utf8')

describe('the table of mutants', () => {
  it('takes out what stands in the code, once, and names tests that there are', () => {
    for (const mutant of MUTANTS) {
      expect(() => mutate(text(mutant.file), mutant), mutant.rule).not.to.throw()
      expect(existsSync(ours(mutant.test.file)), mutant.test.file).to.equal(true)
      expect(text(mutant.test.file), mutant.rule).to.include(mutant.test.title)
    }
  })

  it('names each rule once', () => {
    expect(new Set(MUTANTS.map(({ rule }) => rule)).size).to.equal(MUTANTS.length)
  })

  it('refuses an edit whose text stands there twice, or not at all', () => {
    const mutant: Mutant = { rule: 'r', file: 'f', take: 'a', put: '', test: { file: 't', title: 'i' } }
    expect(() => mutate('aa', mutant)).to.throw('stands 2 times in f, not once')
    expect(() => mutate('b', mutant)).to.throw('stands 0 times in f, not once')
    expect(mutate('bac', mutant)).to.equal('bc')
  })
})
