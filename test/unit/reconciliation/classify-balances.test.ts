import { expect } from 'chai'
import { isPastDeadline } from '../../../indexer/reconciliation/classify-balances.ts'
import type { ExpiryVerificationClaim } from '../../../shared/db/chain-facts/daemon/expiry-verifications.ts'

const DEADLINE_S = 1_700_000_000
const CLAIM = { expiresAt: new Date(DEADLINE_S * 1000) } as ExpiryVerificationClaim

describe('isPast', () => {
  const isPastAt = (timestamp: number, result: 'matched' | 'matched_at_head' = 'matched') =>
    isPastDeadline(CLAIM, { block: { number: 7, timestamp }, result })

  it('is false for balances from a block before the deadline', () => {
    expect(isPastAt(DEADLINE_S - 1)).to.equal(false)
  })

  it('is true for balances from a block at the deadline', () => {
    expect(isPastAt(DEADLINE_S)).to.equal(true)
  })

  it('is true for the last block of a stalled chain, judged by our clock', () => {
    expect(isPastAt(DEADLINE_S - 1, 'matched_at_head')).to.equal(true)
  })
})
