import { expect } from 'chai'
import { type FailedAttempt, isFinalFailure } from '../../../indexer/evidence/is-final-failure.ts'

const NOW_MS = 1_800_000_000_000
const YOUNG: FailedAttempt = {
  ...{ reason: 'block_not_served', attempts: 1, nodes: 3, isUnanimous: false },
  blockTimestamp: NOW_MS / 1_000 - 3_600,
}
const isFinal = (attempt: Partial<FailedAttempt>) => isFinalFailure({ ...YOUNG, ...attempt }, NOW_MS)

describe('isFinalFailure', () => {
  it('ends the attempts immediately if the reason does not depend on the node', () => {
    for (const reason of ['not_committed', 'too_large', 'dust'] as const)
      expect(isFinal({ reason }), reason).to.equal(true)
  })

  it('ends the attempts at an unknown header only if every node returns it, as one might invent it', () => {
    expect(isFinal({ reason: 'unknown_header' })).to.equal(false)
    expect(isFinal({ reason: 'unknown_header', isUnanimous: true })).to.equal(true)
  })

  it('ends the attempts if every node lacks an old block, but not if they lack a recent block', () => {
    const blockTimestamp = NOW_MS / 1_000 - 90_000
    expect(isFinal({ isUnanimous: true })).to.equal(false)
    expect(isFinal({ blockTimestamp })).to.equal(false)
    expect(isFinal({ blockTimestamp, isUnanimous: true })).to.equal(true)
  })

  it('ends the attempts after two per node, and at least four, if the receipts do not match the header', () => {
    expect(isFinal({ reason: 'unknown_receipts', attempts: 5 })).to.equal(false)
    expect(isFinal({ reason: 'unknown_receipts', attempts: 6 })).to.equal(true)
    expect(isFinal({ reason: 'unknown_receipts', attempts: 3, nodes: 1 })).to.equal(false)
  })

  it('ends the attempts after twelve for other failures', () => {
    expect(isFinal({ attempts: 11 })).to.equal(false)
    expect(isFinal({ attempts: 12 })).to.equal(true)
    expect(isFinal({ reason: null, attempts: 12 })).to.equal(false)
  })
})
