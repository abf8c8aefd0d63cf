import { expect } from 'chai'
import { decideOutcome, type SolidifiedView } from '../../../indexer/relayer/tron/decide-outcome.ts'
import { findFrame } from '../../../indexer/relayer/tron/find-frame.ts'
import { createQuorumRule } from '../../../shared/chain/nodes/quorum.ts'

const VALID_UNTIL = new Date('2026-11-22T12:00:00Z')
const at = (seconds: number) => VALID_UNTIL.getTime() + seconds * 1000
const nowhere = (seconds: number): SolidifiedView => ({ solidMs: at(seconds), outcome: null })
const inBlock = (isSuccess: boolean, seconds = -60): SolidifiedView => ({
  solidMs: at(seconds),
  outcome: { blockNumber: 7, isSuccess },
})

/** Returns responses of nodes, each with its own operator. */
function reportsOf<T>(values: readonly T[]) {
  const reports = values.map((value, index) => ({
    ...{ node: `node-${index}`, operator: `operator-${index}`, api: null, value },
  }))
  return { reports, silent: [] }
}

describe('the outcome of a transaction on TRON', () => {
  /** Decides the outcome. By default, our clock is a day past the transaction's expiration. */
  const decide = (
    views: readonly SolidifiedView[],
    { quorum = 2, trusted = null as string | null, isIndexed = false, nowMs = at(86_400) } = {},
  ) =>
    decideOutcome(reportsOf(views), createQuorumRule(quorum, trusted), {
      validUntil: VALID_UNTIL,
      isIndexed,
      nowMs,
    })
  const FINAL = { to: 'final', blockNumber: 7 }
  const REVERTED = { to: 'reverted', blockNumber: 7 }
  const EXPIRED = { to: 'expired', blockNumber: null }

  it('is decided by one node’s solidified block if the quorum is 1', () => {
    expect(decide([inBlock(true)], { quorum: 1 })).to.deep.equal(FINAL)
    expect(decide([inBlock(false)], { quorum: 1 })).to.deep.equal(REVERTED)
    expect(decide([nowhere(-60)], { quorum: 1 })).to.equal(null)
  })

  it('is final if a quorum reports success, but not if only one of two nodes does', () => {
    expect(decide([inBlock(true), inBlock(true)])).to.deep.equal(FINAL)
    expect(decide([inBlock(true), nowhere(-60)])).to.equal(null)
    expect(decide([inBlock(true)]), 'while the other node is silent').to.equal(null)
    expect(decide([inBlock(true), nowhere(3600), inBlock(true)]), 'two of three nodes').to.deep.equal(FINAL)
  })

  it('is final on one node’s report once the split’s event was applied', () => {
    expect(decide([nowhere(3600), inBlock(true)], { isIndexed: true })).to.deep.equal(FINAL)
    expect(decide([inBlock(true)], { isIndexed: true })).to.deep.equal(FINAL)
  })

  it('is undecided while only one node reports success, regardless of the other reports', () => {
    expect(decide([inBlock(true, 3600), nowhere(3600), nowhere(3600)])).to.equal(null)
    expect(decide([inBlock(true), inBlock(false)])).to.equal(null)
    expect(decide([inBlock(true), inBlock(false), inBlock(false)])).to.equal(null)
  })

  it('is expired, not reverted, if one node reports a revert and a quorum lacks the transaction', () => {
    expect(decide([inBlock(false), nowhere(-60), nowhere(-60)])).to.equal(null)
    expect(decide([inBlock(false, 3600), nowhere(3600), nowhere(3600)])).to.deep.equal(EXPIRED)
    expect(decide([inBlock(false), inBlock(false)])).to.deep.equal(REVERTED)
  })

  it('is expired only half a minute of block time after the expiration, because a load-balanced node can lag', () => {
    expect(decide([nowhere(29), nowhere(29)])).to.equal(null)
    expect(decide([nowhere(30), nowhere(30)])).to.deep.equal(EXPIRED)
  })

  it('is not expired on one node’s report while the other node is silent or behind', () => {
    expect(decide([nowhere(3600)])).to.equal(null)
    expect(decide([nowhere(3600), nowhere(-3)])).to.equal(null)
  })

  it('is expired if two of three nodes have passed the expiration, even if the third is stalled', () => {
    expect(decide([nowhere(-700), nowhere(30), nowhere(30)])).to.deep.equal(EXPIRED)
  })

  it('is not expired if the solidified blocks are more than a minute ahead of our clock', () => {
    expect(decide([nowhere(3600), nowhere(3600)], { nowMs: at(3539) })).to.equal(null)
    expect(decide([nowhere(3600), nowhere(3600)], { nowMs: at(3540) })).to.deep.equal(EXPIRED)
  })

  it('is decided by a trusted node alone', () => {
    expect(decide([nowhere(3600), nowhere(-60)], { trusted: 'node-0' })).to.deep.equal(EXPIRED)
    expect(decide([inBlock(true), nowhere(-60)], { trusted: 'node-0' })).to.deep.equal(FINAL)
  })
})

describe('the chain time of a transaction on TRON', () => {
  const blocks = (seconds: number) => ({
    head: { number: 1_000 + seconds, id: '0x1' as const, timestampMs: at(seconds) },
    solid: { number: 980 + seconds, id: '0x2' as const, timestampMs: at(seconds - 54) },
  })
  const group = { quorum: 2, getTrusted: () => null }
  const frameOf = (...seconds: readonly number[]) => findFrame(group, reportsOf(seconds.map(blocks)))

  it('comes from the newest head that a quorum has reached, with the same node’s solidified block', () => {
    expect(frameOf(0, 3, 6)).to.deep.equal(blocks(3))
  })

  it('is not changed by one of three nodes that is in the future or stalled', () => {
    expect(frameOf(3_000, 0, -3)?.head.timestampMs).to.equal(at(0))
    expect(frameOf(-3_000, 0, 3)?.head.timestampMs).to.equal(at(0))
  })

  it('is null while fewer operators than the quorum respond', () => {
    expect(frameOf(0)).to.equal(null)
  })
})
