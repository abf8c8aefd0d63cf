import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { RULES } from '../../history/checker/check-record.ts'
import { CONTROLS, getControl } from '../../history/controls.ts'
import { fileOf } from '../../mutation/mutant.ts'
import { mutate } from '../../mutation/mutate.ts'
import { ours } from '../gates/plant.ts'

describe('the controls of a history', () => {
  for (const { name, edit } of CONTROLS)
    it(`remove a rule that the code has: ${name}`, () => {
      const text = readFileSync(ours(fileOf(edit)), 'utf8')
      expect(mutate(text, edit)).to.not.equal(text)
    })

  it('are reported by a rule of the checker', () => {
    expect(RULES.map(({ name }) => name)).to.include.members(CONTROLS.map(({ reportedBy }) => reportedBy))
  })

  it('are found by their names', () => {
    expect(getControl('tenancy').name).to.equal('tenancy')
    expect(() => getControl('other')).to.throw('no control is named other: idempotency, depth, tenancy')
  })
})
