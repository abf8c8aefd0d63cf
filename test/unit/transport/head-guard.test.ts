import { expect } from 'chai'
import { createHeadGuard } from '../../../indexer/transport/head-guard.ts'

describe('the head guard', () => {
  let time = 0
  let guard: (answer: { number: string; hash: string }) => { number: string; hash: string }

  beforeEach(() => {
    time = 1_800_000_000_000
    guard = createHeadGuard(() => new Date(time))
  })

  const block = (height: number, fork = 'a') => ({
    number: `0x${height.toString(16)}`,
    hash: `${fork}${height}`,
  })
  const seen = (height: number, fork = 'a') => guard(block(height, fork)).hash

  it('passes on every higher head', () => {
    expect([seen(9), seen(10), seen(300)]).to.deep.equal(['a9', 'a10', 'a300'])
  })

  it('returns the highest head again if a node lags', () => {
    seen(10)
    expect([seen(9), seen(8), seen(10)]).to.deep.equal(['a10', 'a10', 'a10'])
  })

  it('passes on a different block of the same height, because a reorganization replaced the first', () => {
    seen(10)
    expect([seen(10, 'b'), seen(9, 'a')]).to.deep.equal(['b10', 'b10'])
  })

  it('accepts a lower head once every response has been lower for 30 s', () => {
    seen(10)
    seen(8, 'b')
    time += 29_999
    expect(seen(8, 'b')).to.equal('a10')
    time += 1
    expect(seen(8, 'b')).to.equal('b8')
    expect(seen(9, 'b')).to.equal('b9')
  })

  it('restarts the wait after every response that is not lower', () => {
    seen(10)
    for (let second = 0; second < 120; second += 1) {
      time += 1000
      expect(seen(second % 20 === 19 ? 10 : 9)).to.equal('a10')
    }
  })

  it('compares numbers, not text', () => {
    seen(15)
    expect(seen(16)).to.equal('a16')
  })
})
