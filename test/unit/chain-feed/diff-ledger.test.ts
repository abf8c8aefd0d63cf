import { expect } from 'chai'
import { diffLedger } from '../../../indexer/chain-feed/diff-ledger.ts'
import type { ChainRow } from '../../../shared/db/chain-facts/daemon/chain-rows.ts'
import type { LedgerRow } from '../../../shared/db/chain-facts/daemon/inclusion.ts'
import type { Address } from '../../../shared/domain/address.ts'

const TOKEN = `0x${'70'.repeat(20)}` as Address
const row: ChainRow = {
  ...{ chainId: 1, chargeId: 'ch_1', kind: '', tokenAddress: TOKEN, txHash: '0xa', ordinal: 0 },
  ...{ blockNumber: 10, blockHash: '0x1', blockTimestamp: 1, logIndex: 0 },
  ...{ party: TOKEN, amountAtomic: 1n, isAccepted: true },
}
const known: LedgerRow = { ...row, id: 1, inclusion: 'included', ponderSchema: 'ponder_1' }

function comparison(observed: readonly ChainRow[], ledger: readonly LedgerRow[], headNumber = 10) {
  return diffLedger(observed, { ledger, ponderSchema: 'ponder_1', headNumber })
}

describe('diffLedger', () => {
  it('returns nothing if the observed rows equal the ledger', () => {
    expect(comparison([row], [known])).to.deep.equal({ changed: [], missing: [] })
  })

  it('returns a new row', () => {
    expect(comparison([row], [])).to.deep.equal({ changed: [row], missing: [] })
  })

  it('returns a row that moved to another block, or within its block', () => {
    for (const moved of [
      { ...row, blockHash: '0x2' as const },
      { ...row, logIndex: 3 },
    ]) {
      expect(comparison([moved], [known])).to.deep.equal({ changed: [moved], missing: [] })
    }
  })

  it('returns as changed a missing row that is shown again', () => {
    expect(comparison([row], [{ ...known, inclusion: 'missing' }])).to.deep.equal({
      changed: [row],
      missing: [],
    })
  })

  it('returns as missing, only once, a row that is not shown', () => {
    expect(comparison([], [known])).to.deep.equal({ changed: [], missing: [1] })
    expect(comparison([], [{ ...known, inclusion: 'missing' }])).to.deep.equal({ changed: [], missing: [] })
  })

  it('returns as missing a row that only the previous schema has shown', () => {
    const before = { ...known, ponderSchema: 'ponder_0' }
    expect(comparison([], [before])).to.deep.equal({ changed: [], missing: [1] })
  })

  it('does not return as missing a row that no schema has shown', () => {
    expect(comparison([], [{ ...known, ponderSchema: null }])).to.deep.equal({ changed: [], missing: [] })
  })

  it('does not return as missing a row above the head, which a restarted Ponder has not reached yet', () => {
    expect(comparison([], [known], 9)).to.deep.equal({ changed: [], missing: [] })
  })

  it('returns as changed a row that only another schema has shown', () => {
    expect(comparison([row], [{ ...known, ponderSchema: 'ponder_0' }])).to.deep.equal({
      changed: [row],
      missing: [],
    })
  })
})
