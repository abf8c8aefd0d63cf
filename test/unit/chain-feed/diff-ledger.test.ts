import { expect } from 'chai'
import { diffLedger } from '../../../indexer/chain-feed/diff-ledger.ts'

type Row = { readonly identity: string; readonly blockHash: string; readonly logIndex: number }
type LedgerRow = Row & {
  readonly blockNumber: number
  readonly id: number
  readonly presence: 'present' | 'missing'
  readonly ponderSchema: string | null
}

const row: Row = { identity: 'a', blockHash: '0x1', logIndex: 0 }
const known: LedgerRow = { ...row, id: 1, blockNumber: 10, presence: 'present', ponderSchema: 'ponder_1' }

function comparison(observed: readonly Row[], ledger: readonly LedgerRow[], headNumber = 10) {
  return diffLedger({ observed, ledger, ponderSchema: 'ponder_1', headNumber }, ({ identity }) => identity)
}

describe('compare', () => {
  it('finds nothing when both say the same', () => {
    expect(comparison([row], [known])).to.deep.equal({ changed: [], missing: [] })
  })

  it('finds a new row', () => {
    expect(comparison([row], [])).to.deep.equal({ changed: [row], missing: [] })
  })

  it('finds a row that moved to another block, or within its block', () => {
    for (const moved of [
      { ...row, blockHash: '0x2' },
      { ...row, logIndex: 3 },
    ]) {
      expect(comparison([moved], [known])).to.deep.equal({ changed: [moved], missing: [] })
    }
  })

  it('finds a row that came back to the place it had', () => {
    expect(comparison([row], [{ ...known, presence: 'missing' }])).to.deep.equal({
      changed: [row],
      missing: [],
    })
  })

  it('finds a row that is gone, once', () => {
    expect(comparison([], [known])).to.deep.equal({ changed: [], missing: [1] })
    expect(comparison([], [{ ...known, presence: 'missing' }])).to.deep.equal({ changed: [], missing: [] })
  })

  it('finds gone what only the schema before it has shown: the chain changed as they were switched', () => {
    const before = { ...known, ponderSchema: 'ponder_0' }
    expect(comparison([], [before])).to.deep.equal({ changed: [], missing: [1] })
  })

  it('does not judge what no schema has shown', () => {
    expect(comparison([], [{ ...known, ponderSchema: null }])).to.deep.equal({ changed: [], missing: [] })
  })

  it('does not judge what is above the head, where a restarted Ponder has not come back to', () => {
    expect(comparison([], [known], 9)).to.deep.equal({ changed: [], missing: [] })
  })

  it('takes over a row that another schema has shown', () => {
    expect(comparison([row], [{ ...known, ponderSchema: 'ponder_0' }])).to.deep.equal({
      changed: [row],
      missing: [],
    })
  })
})
