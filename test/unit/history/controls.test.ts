import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { RULES } from '../../history/checker/check-record.ts'
import { CONTROLS, getControl, isReported } from '../../history/controls.ts'
import { fileOf } from '../../mutation/mutant.ts'
import { mutate } from '../../mutation/mutate.ts'
import { ours } from '../gates/plant.ts'

describe('the controls of a history', () => {
  for (const { name, edit } of CONTROLS)
    it(`have an edit that applies to the current code: ${name}`, () => {
      const text = readFileSync(ours(fileOf(edit)), 'utf8')
      expect(mutate(text, edit)).to.not.equal(text)
    })

  it('name an existing rule of the checker that must report them', () => {
    expect(RULES.map(({ name }) => name)).to.include.members(CONTROLS.map(({ reportedBy }) => reportedBy))
  })

  it('count as reported only by the expected finding of the expected rule', () => {
    const control = getControl('depth')
    const verdict = (finding: string) => [{ rule: control.reportedBy, findings: [finding] }]
    const early = 'ch_1 shows 5 at 12:00:00.000, but the chain 0 at depth'
    expect(isReported(control, verdict(early))).to.equal(true)
    expect(isReported(control, verdict('ch_1 received 5, but the chain shows 0 in 0 transfers'))).to.equal(
      false,
    )
    expect(isReported(control, [{ rule: 'another rule', findings: [early] }])).to.equal(false)
  })

  it('are found by name, and an unknown name throws', () => {
    expect(getControl('tenancy').name).to.equal('tenancy')
    expect(() => getControl('other')).to.throw('no control is named other: idempotency, depth, tenancy')
  })
})
