import { expect } from 'chai'
import { isPastDeadline } from '../../../indexer/reconciliation/classify-balances.ts'
import type { ExpiryVerificationClaim } from '../../../shared/db/chain-facts/daemon/expiry-verifications.ts'

const DEADLINE_S = 1_700_000_000
const CLAIM = { expiresAt: new Date(DEADLINE_S * 1000) } as ExpiryVerificationClaim

describe('isPastDeadline', () => {
  const isPastAt = (timestamp: number, result: 'matched' | 'matched_at_head' = 'matched') =>
    isPastDeadline(CLAIM, { block: { number: 7, timestamp }, result })

  it('returns false for balances as of a block before the deadline', () => {
    expect(isPastAt(DEADLINE_S - 1)).to.equal(false)
  })

  it('returns true for balances as of a block at the deadline', () => {
    expect(isPastAt(DEADLINE_S)).to.equal(true)
  })

  it('returns true for balances at the head of a stalled chain, even if the head is before the deadline', () => {
    expect(isPastAt(DEADLINE_S - 1, 'matched_at_head')).to.equal(true)
  })
})
