import { expect } from 'chai'
import { decideSleep, type SleepFacts } from '../../../indexer/chain-feed/decide-sleep.ts'

const AFTER_SECONDS = 90_000

const IDLE: SleepFacts = {
  isAsleep: false,
  isWakeRequested: false,
  hasWork: false,
  isRecentlyActive: false,
  idleSeconds: AFTER_SECONDS,
  isFeedLevel: true,
  isPublished: true,
}
const ASLEEP = { ...IDLE, isAsleep: true }

describe('a network that is awake', () => {
  it('falls asleep once it has had nothing to watch for the configured time', () => {
    expect(decideSleep(IDLE, AFTER_SECONDS)).to.equal('sleep')
  })

  it('does not fall asleep before the configured time has passed', () => {
    expect(decideSleep({ ...IDLE, idleSeconds: AFTER_SECONDS - 1 }, AFTER_SECONDS)).to.equal('keep')
  })

  it('does not fall asleep while something must be watched', () => {
    expect(decideSleep({ ...IDLE, hasWork: true }, AFTER_SECONDS)).to.equal('keep')
  })

  it('does not fall asleep soon after a charge was active, even if no check ran while that charge was open', () => {
    expect(decideSleep({ ...IDLE, isRecentlyActive: true }, AFTER_SECONDS)).to.equal('keep')
  })

  it('does not fall asleep while its feed has not yet read the blocks that a later feed would skip', () => {
    expect(decideSleep({ ...IDLE, isFeedLevel: false }, AFTER_SECONDS)).to.equal('keep')
  })

  it('does not fall asleep before its pairs are published, because no charge could wake it', () => {
    expect(decideSleep({ ...IDLE, isPublished: false }, AFTER_SECONDS)).to.equal('keep')
  })

  it('never falls asleep if sleep is switched off', () => {
    expect(decideSleep(IDLE, 0)).to.equal('keep')
  })
})

describe('a sleeping network', () => {
  it('keeps sleeping while nothing must be watched', () => {
    expect(decideSleep({ ...ASLEEP, isFeedLevel: false, isPublished: false }, AFTER_SECONDS)).to.equal('keep')
  })

  it('wakes when a new charge accepts payments on it', () => {
    expect(decideSleep({ ...ASLEEP, isWakeRequested: true }, AFTER_SECONDS)).to.equal('wake')
  })

  it('wakes when something must be watched, even if no charge requests the wake-up', () => {
    expect(decideSleep({ ...ASLEEP, hasWork: true }, AFTER_SECONDS)).to.equal('wake')
  })

  it('wakes when sleep is switched off', () => {
    expect(decideSleep(ASLEEP, 0)).to.equal('wake')
  })
})
