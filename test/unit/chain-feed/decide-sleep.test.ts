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

describe('a network sleeps', () => {
  it('once nothing had to be watched for the configured time', () => {
    expect(decideSleep(IDLE, AFTER_SECONDS)).to.equal('sleep')
  })

  it('not before that time is over', () => {
    expect(decideSleep({ ...IDLE, idleSeconds: AFTER_SECONDS - 1 }, AFTER_SECONDS)).to.equal('keep')
  })

  it('not while something must be watched', () => {
    expect(decideSleep({ ...IDLE, hasWork: true }, AFTER_SECONDS)).to.equal('keep')
  })

  it('not while a charge was active recently, even if no check has seen it open', () => {
    expect(decideSleep({ ...IDLE, isRecentlyActive: true }, AFTER_SECONDS)).to.equal('keep')
  })

  it('not while its feed is behind the blocks that a later feed would not read', () => {
    expect(decideSleep({ ...IDLE, isFeedLevel: false }, AFTER_SECONDS)).to.equal('keep')
  })

  it('not before its pairs are published, because no charge could wake it', () => {
    expect(decideSleep({ ...IDLE, isPublished: false }, AFTER_SECONDS)).to.equal('keep')
  })

  it('never, if sleep is switched off', () => {
    expect(decideSleep(IDLE, 0)).to.equal('keep')
  })
})

describe('a sleeping network', () => {
  it('keeps sleeping while nothing must be watched', () => {
    expect(decideSleep({ ...ASLEEP, isFeedLevel: false, isPublished: false }, AFTER_SECONDS)).to.equal('keep')
  })

  it('wakes when a new charge accepts it', () => {
    expect(decideSleep({ ...ASLEEP, isWakeRequested: true }, AFTER_SECONDS)).to.equal('wake')
  })

  it('wakes when something must be watched, even if nothing has requested it', () => {
    expect(decideSleep({ ...ASLEEP, hasWork: true }, AFTER_SECONDS)).to.equal('wake')
  })

  it('wakes when sleep is switched off', () => {
    expect(decideSleep(ASLEEP, 0)).to.equal('wake')
  })
})
