import { expect } from 'chai'
import { createStallDetector } from '../../../indexer/chain-feed/stall-detector.ts'

const SECOND = 1000
const HOUR = 3600 * SECOND

/** The chain’s head. Ponder’s head is far behind it, except where a test says otherwise. */
const TIP = { url: 'http://node', number: 1000, timestampMs: 0 }

describe('the detector of a stuck Ponder', () => {
  let nowMs: number
  let watch: ReturnType<typeof createStallDetector>

  beforeEach(() => {
    nowMs = 0
    watch = createStallDetector({ blockTimeMs: 2000, now: () => new Date(nowMs) })
  })

  const after = (ms: number) => {
    nowMs += ms
  }

  it('reports a Ponder whose head has not moved for a minute although its chain is ahead', () => {
    watch.note(100)
    after(59 * SECOND)
    watch.note(100)
    expect(watch.isStuck(TIP.number)).to.equal(false)
    after(SECOND)
    expect(watch.isStuck(TIP.number)).to.equal(true)
  })

  it('allows twenty block times if they exceed a minute', () => {
    watch = createStallDetector({ blockTimeMs: 12_000, now: () => new Date(nowMs) })
    watch.note(100)
    after(239 * SECOND)
    expect(watch.isStuck(TIP.number)).to.equal(false)
    after(SECOND)
    expect(watch.isStuck(TIP.number)).to.equal(true)
  })

  it('does not report a Ponder whose chain itself does not advance', () => {
    watch.note(TIP.number)
    after(HOUR)
    expect(watch.isStuck(TIP.number)).to.equal(false)
  })

  it('restarts its timer at every new head and after every report', () => {
    watch.note(100)
    after(50 * SECOND)
    watch.note(101)
    after(50 * SECOND)
    expect(watch.isStuck(TIP.number)).to.equal(false)
    after(10 * SECOND)
    expect([watch.isStuck(TIP.number), watch.isStuck(TIP.number)]).to.deep.equal([true, false])
  })

  it('doubles its time limit after each restart without a new head, up to ten minutes', () => {
    const patienceS: number[] = []
    for (let restarts = 0; restarts < 6; restarts += 1) {
      watch.begin()
      watch.note(100)
      const startedMs = nowMs
      while (!watch.isStuck(TIP.number)) after(SECOND)
      patienceS.push((nowMs - startedMs) / SECOND)
    }
    expect(patienceS).to.deep.equal([60, 120, 240, 480, 600, 600])
  })

  it('resets its time limit to a minute after the head has moved', () => {
    watch.note(100)
    after(60 * SECOND)
    expect(watch.isStuck(TIP.number)).to.equal(true)
    watch.note(101)
    after(60 * SECOND)
    expect(watch.isStuck(TIP.number)).to.equal(true)
  })

  it('reports a Ponder without a head an hour after its start or after the loss of its head', () => {
    after(HOUR)
    watch.begin()
    after(HOUR - 1)
    watch.note(null)
    expect(watch.isStuck(TIP.number)).to.equal(false)
    watch.note(100)
    watch.note(null)
    after(HOUR - 1)
    expect(watch.isStuck(TIP.number)).to.equal(false)
    after(1)
    expect(watch.isStuck(TIP.number)).to.equal(true)
  })
})
