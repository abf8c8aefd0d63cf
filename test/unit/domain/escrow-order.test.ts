import { expect } from 'chai'
import { draftEscrowTransaction, type PaidEscrow } from '../../../shared/domain/escrow-order.ts'
import { atomic } from '../../../shared/domain/money.ts'

describe('the draft of an escrow transaction', () => {
  const empty = { isDeployed: true, nonce: 0n, balanceAtomic: atomic(0n) }
  const problemOf = (isMixed: boolean): string => {
    try {
      draftEscrowTransaction({ action: 'release', signedAmount: null }, { isMixed } as PaidEscrow, empty)
      return ''
    } catch (error) {
      return (error as Error).message
    }
  }

  it('is rejected for an empty Safe, and the error mentions sandbox credits only if the sandbox paid a part', () => {
    expect(problemOf(true)).to.include('sandbox credits are on no chain')
    expect(problemOf(false)).to.not.include('sandbox')
  })
})
