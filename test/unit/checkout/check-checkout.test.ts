import { expect } from 'chai'
import { getUnfinishedOutcome } from '../../../api/checkout/check-checkout.ts'

describe('a payer’s check without a result', () => {
  it('may be repeated soon if the charge is open or the payer has named a transaction', () => {
    expect(getUnfinishedOutcome({ status: 'partially_paid', isSimulated: false }, false)).to.equal('soon')
    expect(getUnfinishedOutcome({ status: 'expired', isSimulated: false }, true)).to.equal('soon')
    expect(getUnfinishedOutcome({ status: 'confirmed', isSimulated: false }, true)).to.equal('soon')
  })

  it('needs the hash if the charge has expired', () => {
    expect(getUnfinishedOutcome({ status: 'expired', isSimulated: false }, false)).to.equal('invalid')
  })

  it('shows no notice for a simulated charge, and for another closed charge without a hash', () => {
    expect(getUnfinishedOutcome({ status: 'expired', isSimulated: true }, true)).to.equal(null)
    expect(getUnfinishedOutcome({ status: 'confirmed', isSimulated: false }, false)).to.equal(null)
  })
})
