import { expect } from 'chai'
import { diffLedger } from '../../../indexer/chain-feed/diff-ledger.ts'

type Row = { readonly identity: string; readonly blockHash: string; readonly logIndex: number }
type LedgerRow = Row & {
  readonly blockNumber: number
  readonly id: number
  readonly inclusion: 'included' | 'missing'
  readonly ponderSchema: string | null
}

const row: Row = { identity: 'a', blockHash: '0x1', logIndex: 0 }
const known: LedgerRow = { ...row, id: 1, blockNumber: 10, inclusion: 'included', ponderSchema: 'ponder_1' }

function comparison(observed: readonly Row[], ledger: readonly LedgerRow[], headNumber = 10) {
  return diffLedger({ observed, ledger, ponderSchema: 'ponder_1', headNumber }, ({ identity }) => identity)
}

describe('compare', () => {
  it('returns nothing if both snapshots are equal', () => {
    expect(comparison([row], [known])).to.deep.equal({ changed: [], missing: [] })
  })

  it('returns a new row', () => {
    expect(comparison([row], [])).to.deep.equal({ changed: [row], missing: [] })
  })

  it('returns a row that moved to another block, or within its block', () => {
    for (const moved of [
      { ...row, blockHash: '0x2' },
      { ...row, logIndex: 3 },
    ]) {
      expect(comparison([moved], [known])).to.deep.equal({ changed: [moved], missing: [] })
    }
  })

  it('returns a row that returned to its earlier position', () => {
    expect(comparison([row], [{ ...known, inclusion: 'missing' }])).to.deep.equal({
      changed: [row],
      missing: [],
    })
  })

  it('returns a missing row once', () => {
    expect(comparison([], [known])).to.deep.equal({ changed: [], missing: [1] })
    expect(comparison([], [{ ...known, inclusion: 'missing' }])).to.deep.equal({ changed: [], missing: [] })
  })

  it('reports as missing a row that only the previous schema has shown, because the chain changed during the switch', () => {
    const before = { ...known, ponderSchema: 'ponder_0' }
    expect(comparison([], [before])).to.deep.equal({ changed: [], missing: [1] })
  })

  it('does not judge a row that no schema has shown', () => {
    expect(comparison([], [{ ...known, ponderSchema: null }])).to.deep.equal({ changed: [], missing: [] })
  })

  it('does not judge rows above the head, which a restarted Ponder has not reached yet', () => {
    expect(comparison([], [known], 9)).to.deep.equal({ changed: [], missing: [] })
  })

  it('takes over a row that another schema has shown', () => {
    expect(comparison([row], [{ ...known, ponderSchema: 'ponder_0' }])).to.deep.equal({
      changed: [row],
      missing: [],
    })
  })
})
