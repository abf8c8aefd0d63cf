import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { fileOf } from '../mutation/mutant.ts'
import { MUTANTS } from '../mutation/mutants.ts'
import { mutate } from '../mutation/mutate.ts'
import { findUnknownNames } from '../mutation/names.ts'
import { PLANTED } from './planted-bugs.ts'

const repository = join(import.meta.dirname, '../..')

describe('the bugs that the simulator plants', () => {
  it('violate sixty different rules', () => {
    expect(new Set(PLANTED.map(({ rule }) => rule)).size).to.equal(60)
  })

  it('each change existing code, and use only names that exist in its file', () => {
    for (const bug of PLANTED) {
      const text = readFileSync(join(repository, fileOf(bug)), 'utf8')
      const planted = mutate(text, bug)
      expect(planted, bug.rule).not.to.equal(text)
      // The test of the mutants' table checks the table's rules.
      if (!MUTANTS.some(({ rule }) => rule === bug.rule))
        expect(findUnknownNames(text, planted), bug.rule).to.deep.equal([])
    }
  })
})
