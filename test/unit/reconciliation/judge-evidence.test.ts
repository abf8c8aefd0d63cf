import { expect } from 'chai'
import { isPast } from '../../../indexer/reconciliation/judge-evidence.ts'
import type { EvidenceClaim } from '../../../shared/db/chain-facts/daemon/balance-evidence.ts'

const DEADLINE_S = 1_700_000_000
const CLAIM = { expiresAt: new Date(DEADLINE_S * 1000) } as EvidenceClaim

describe('isPast', () => {
  const isPastAt = (timestamp: number, result: 'clear' | 'quiet' = 'clear') =>
    isPast(CLAIM, { block: { number: 7, timestamp }, result })

  it('is false for balances from a block before the deadline', () => {
    expect(isPastAt(DEADLINE_S - 1)).to.equal(false)
  })

  it('is true for balances from a block at the deadline', () => {
    expect(isPastAt(DEADLINE_S)).to.equal(true)
  })

  it('is true for the last block of a chain that stands still, for which our clock decides', () => {
    expect(isPastAt(DEADLINE_S - 1, 'quiet')).to.equal(true)
  })
})
