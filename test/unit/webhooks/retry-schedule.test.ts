import { expect } from 'chai'
import { nextAttemptAt, parseRetryAfter } from '../../../indexer/webhooks/retry-schedule.ts'

const DELAYS = [0, 300, 1800, 7200, 86_400]
const first = new Date('2026-11-20T12:00:00.000Z')

describe('nextAttemptAt', () => {
  it('returns 5 minutes, 30 minutes, 2 hours and 24 hours after the first attempt, then null', () => {
    const at = [1, 2, 3, 4, 5].map((cycleAttempts) => {
      const startedAt = after(DELAYS[cycleAttempts - 1] ?? 0)
      return secondsOf(next({ cycleAttempts, startedAt, finishedAt: startedAt }))
    })
    expect(at).to.deep.equal([300, 1800, 7200, 86_400, null])
  })

  it('counts from the start of the first attempt, regardless of the attempts’ durations', () => {
    const startedAt = after(300)
    expect(secondsOf(next({ cycleAttempts: 2, startedAt, finishedAt: after(308) }))).to.equal(1800)
  })

  it('keeps attempts at least 5 minutes apart if an outage delayed one of them', () => {
    const startedAt = after(10_000)
    expect(secondsOf(next({ cycleAttempts: 2, startedAt, finishedAt: startedAt }))).to.equal(10_300)
    expect(secondsOf(next({ cycleAttempts: 3, startedAt, finishedAt: startedAt }))).to.equal(10_300)
    expect(secondsOf(next({ cycleAttempts: 4, startedAt, finishedAt: startedAt }))).to.equal(86_400)
  })

  for (const [asked, expected] of [
    [0, 300],
    [299, 300],
    [301, 301],
    [600, 600],
    [100_000, 600],
  ] as const) {
    it(`waits ${expected} s after Retry-After: ${asked}, with 300 s planned`, () => {
      const at = next({ cycleAttempts: 1, startedAt: first, finishedAt: first, retryAfterMs: asked * 1000 })
      expect(secondsOf(at)).to.equal(expected)
    })
  }
})

describe('parseRetryAfter', () => {
  for (const [header, expected] of [
    ['0', 0],
    ['120', 120_000],
    [' 7 ', 7000],
    ['Fri, 20 Nov 2026 12:01:00 GMT', 60_000],
    ['Friday, 20-Nov-26 12:01:00 GMT', 60_000],
    ['Fri Nov 20 12:01:00 2026', 60_000],
    ['Fri, 20 Nov 2026 11:59:00 GMT', 0],
    [undefined, null],
    ['', null],
    ['-1', null],
    ['1.5', null],
    ['soon', null],
    ['2026-11-20T12:01:00Z', null],
    ['9999999999', null],
  ] as const) {
    it(`parses ${JSON.stringify(header)} as ${expected}`, () => {
      expect(parseRetryAfter(header, first)).to.equal(expected)
    })
  }
})

function next(attempt: { cycleAttempts: number; startedAt: Date; finishedAt: Date; retryAfterMs?: number }) {
  return nextAttemptAt({ cycleStartedAt: first, retryAfterMs: null, ...attempt }, DELAYS)
}

function after(seconds: number): Date {
  return new Date(first.getTime() + seconds * 1000)
}

function secondsOf(moment: Date | null): number | null {
  return moment && (moment.getTime() - first.getTime()) / 1000
}
