import { expect } from 'chai'
import { hasPassed } from '../../../shared/runtime/clock.ts'

describe('hasPassed', () => {
  it('returns true once the interval has ended', () => {
    expect(hasPassed(60, { sinceMs: 100, nowMs: 159 })).to.equal(false)
    expect(hasPassed(60, { sinceMs: 100, nowMs: 160 })).to.equal(true)
  })

  it('returns true if the clock was set back', () => {
    expect(hasPassed(60, { sinceMs: 100, nowMs: 99 })).to.equal(true)
  })

  it('returns true if no interval has started yet', () => {
    expect(hasPassed(60, { sinceMs: Number.NEGATIVE_INFINITY, nowMs: 0 })).to.equal(true)
  })
})
