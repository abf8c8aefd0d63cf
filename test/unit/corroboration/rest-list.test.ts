import { expect } from 'chai'

import { createRestList } from '../../../indexer/corroboration/rest-list.ts'
import type { Hex } from '../../../shared/domain/address.ts'

const ONE: Hex = `0x${'1a'.repeat(32)}`
const NONE = { aboveDepth: [], atDepth: [] }
const TWO: Hex = `0x${'2b'.repeat(32)}`

function setUp() {
  let nowMs = 1_700_000_000_000
  const list = createRestList(() => new Date(nowMs))
  return { list, advance: (seconds: number) => (nowMs += seconds * 1_000) }
}

describe('the list of paused transactions', () => {
  it('pauses only the noted transaction, for a second', () => {
    const { list, advance } = setUp()
    list.note(ONE, false)
    expect(list.list()).to.deep.equal({ aboveDepth: [ONE], atDepth: [] })
    list.note(TWO, false)
    advance(1)
    expect(list.list()).to.deep.equal(NONE)
  })

  it('distinguishes transactions noted at confirmation depth from those noted above it', () => {
    const { list } = setUp()
    list.note(ONE, true)
    list.note(TWO, false)
    expect(list.list()).to.deep.equal({ aboveDepth: [TWO], atDepth: [ONE] })
  })

  it('pauses a transaction for the time since it was first noted, at least a second and at most a minute', () => {
    const { list, advance } = setUp()
    let seconds = 0
    for (const [at, rest] of [
      [0, 1],
      [10, 10],
      [50, 50],
      [150, 60],
    ] as const) {
      advance(at - seconds)
      list.note(ONE, false)
      advance(rest - 0.5)
      expect(list.list().aboveDepth, `after ${at} s`).to.deep.equal([ONE])
      advance(0.5)
      expect(list.list(), `after ${at} s`).to.deep.equal(NONE)
      seconds = at + rest
    }
  })

  it('removes a transaction more than two minutes after its pause', () => {
    const { list, advance } = setUp()
    list.note(ONE, true)
    advance(200)
    list.list()
    list.note(ONE, true)
    advance(1)
    expect(list.list()).to.deep.equal(NONE)
  })
})
