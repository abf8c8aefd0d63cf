import { expect } from 'chai'
import { findAgreed } from '../../../indexer/escrow/agreed-balances.ts'
import type { FoundBalance } from '../../../indexer/reconciliation/compare-balances.ts'
import { tokenAddressOf } from '../../support/factories.ts'

const BALANCE = { charge: { id: 'ch_one' }, account: '0x5a', tokenAddress: tokenAddressOf('base') }

describe('findAgreed', () => {
  it('returns the balance that two nodes have returned, whatever the third has', () => {
    expect(amountsOf([found(1n), found(7n), found(7n)])).to.deep.equal([7n])
  })

  it('returns nothing that two nodes do not have alike', () => {
    expect(amountsOf([found(1n), found(7n)])).to.deep.equal([])
    expect(amountsOf([found(7n), []])).to.deep.equal([])
  })

  it('returns what the only node has', () => {
    expect(amountsOf([found(7n)])).to.deep.equal([7n])
    expect(amountsOf([[]])).to.deep.equal([])
  })
})

function amountsOf(answers: readonly (readonly FoundBalance[])[]): readonly bigint[] {
  return findAgreed([BALANCE as FoundBalance], answers).map(({ foundAtomic }) => foundAtomic)
}

function found(foundAtomic: bigint): readonly FoundBalance[] {
  return [{ ...BALANCE, foundAtomic } as FoundBalance]
}
