import { expect } from 'chai'
import { MUTANTS } from '../mutation/mutants.ts'
import { PLANTED } from './seeded-bugs.ts'

describe('the rules that the simulator removes', () => {
  it('are at least ten, and all are in the table of mutants', () => {
    const rules = MUTANTS.map(({ rule }) => rule)
    expect(PLANTED.filter((rule) => !rules.includes(rule))).to.deep.equal([])
    expect(new Set(PLANTED).size).to.be.at.least(10)
  })
})
