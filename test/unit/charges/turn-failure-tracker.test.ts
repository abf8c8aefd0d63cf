import { expect } from 'chai'
import { createTurnFailureTracker } from '../../../indexer/charges/turn-failure-tracker.ts'

const SICK = 'ch_sick'

describe('the record of failed turns', () => {
  it('doubles a charge’s pause at each failure, up to five minutes', () => {
    const failed = createTurnFailureTracker()
    const rests = Array.from({ length: 12 }, (_, round) => {
      failed.note([SICK], at(round * 1_000))
      return [1, 2, 4, 8, 16, 32, 64, 128, 256, 300].find((seconds) => {
        return failed.listResting(at(round * 1_000 + seconds)).length === 0
      })
    })
    expect(rests).to.deep.equal([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300])
  })

  it('keeps a charge after its pause, and removes it after a successful turn', () => {
    const failed = createTurnFailureTracker()
    failed.note([SICK], at(0))
    expect(failed.listResting(at(1))).to.deep.equal([])
    expect(failed.has(SICK)).to.equal(true)
    failed.forget([SICK])
    expect(failed.has(SICK)).to.equal(false)
    failed.note([SICK], at(2))
    expect(failed.listResting(at(3)), 'counted as a first failure').to.deep.equal([])
  })

  it('does not pause a charge if the clock was set back', () => {
    const failed = createTurnFailureTracker()
    failed.note([SICK], at(3_600))
    expect(failed.listResting(at(3_599))).to.deep.equal([])
  })

  it('keeps the thousand charges that failed most recently', () => {
    const failed = createTurnFailureTracker()
    failed.note([SICK], at(0))
    failed.note(['ch_other'], at(0))
    failed.note([SICK, ...Array.from({ length: 999 }, (_, n) => `ch_${n}`)], at(0))
    expect(failed.listResting(at(0))).to.have.length(1_000)
    expect(failed.has('ch_other')).to.equal(false)
    expect(failed.has(SICK)).to.equal(true)
  })
})

function at(seconds: number): Date {
  return new Date(seconds * 1_000)
}
