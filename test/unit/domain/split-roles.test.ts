import { expect } from 'chai'
import { getSplitRole } from '../../../shared/domain/accounting/split-roles.ts'
import type { Address } from '../../../shared/domain/address.ts'
import { buildBookedCharge } from '../../support/accounting-facts.ts'
import { MERCHANT, TREASURY } from '../../support/factories.ts'

const PARTNER = `0x${'b1'.repeat(20)}` as Address

describe('the role of an address of a split', () => {
  it('is merchant, recipient or treasury, depending on the address’s position', () => {
    const charge = chargeOf([MERCHANT, PARTNER, TREASURY], [PARTNER])
    expect([MERCHANT, PARTNER, TREASURY].map((address) => getSplitRole(charge, address))).to.deep.equal([
      ...['merchant', 'recipient', 'treasury'],
    ])
  })

  it('is recipient or treasury if the split has no share for the merchant', () => {
    const charge = chargeOf([PARTNER, TREASURY], [PARTNER])
    expect(getSplitRole(charge, PARTNER)).to.equal('recipient')
    expect(getSplitRole(charge, TREASURY)).to.equal('treasury')
  })

  it('is recipient if the treasury is also the only split recipient, and the merchant has no share', () => {
    expect(getSplitRole(chargeOf([TREASURY, TREASURY], [TREASURY]), TREASURY)).to.equal('recipient')
  })
})

function chargeOf(recipients: readonly Address[], splitRecipients: readonly Address[]) {
  const { splitTerms, ...charge } = buildBookedCharge()
  return {
    ...charge,
    splitTerms: { ...splitTerms, recipients },
    splitRecipients: splitRecipients.map((address) => ({ address, percentText: '1' })),
  }
}
