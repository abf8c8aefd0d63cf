import { expect } from 'chai'
import { assignOrdinals, type ChainLog, getDepth } from '../../../shared/domain/transfer.ts'

type SubjectLog = ChainLog & { readonly subject: string }

const log = (logIndex: number, overrides: Partial<SubjectLog> = {}): SubjectLog => ({
  txHash: `0x${'ab'.repeat(32)}`,
  blockNumber: 7,
  subject: 'USDC',
  logIndex,
  ...overrides,
})

const ordinalsOf = (logs: readonly SubjectLog[]) =>
  assignOrdinals(logs, ({ subject }) => subject).map(({ logIndex, ordinal }) => [logIndex, ordinal])

describe('getDepth', () => {
  it('returns 1 for the head’s block, and 0 above the head', () => {
    expect(getDepth({ head: 100, block: 100 })).to.equal(1)
    expect(getDepth({ head: 111n, block: 100 })).to.equal(12)
    expect(getDepth({ head: 99, block: 100n })).to.equal(0)
    expect(getDepth({ head: 5, block: 100 })).to.equal(0)
  })
})

describe('assignOrdinals', () => {
  it('numbers logs by log index, for any input order', () => {
    expect(ordinalsOf([log(9), log(3), log(5)])).to.deep.equal([
      [3, 0],
      [5, 1],
      [9, 2],
    ])
  })

  it('numbers the logs of each subject separately', () => {
    expect(ordinalsOf([log(1), log(2, { subject: 'USDT' }), log(3)])).to.deep.equal([
      [1, 0],
      [2, 0],
      [3, 1],
    ])
  })

  it('numbers the logs of each transaction separately, and sorts transactions by block', () => {
    const later = log(1, { txHash: `0x${'cd'.repeat(32)}`, blockNumber: 8 })
    expect(ordinalsOf([later, log(4)])).to.deep.equal([
      [4, 0],
      [1, 0],
    ])
  })

  it('returns the same ordinals after a reorganization changes block numbers and log indexes', () => {
    const moved = [log(40, { blockNumber: 9 }), log(44, { blockNumber: 9 })]
    const ordinals = (logs: SubjectLog[]) => ordinalsOf(logs).map(([, ordinal]) => ordinal)
    expect(ordinals(moved)).to.deep.equal(ordinals([log(3), log(7)]))
  })

  it('throws if a log is given twice', () => {
    expect(() => ordinalsOf([log(1), log(1)])).to.throw('given twice')
  })
})
