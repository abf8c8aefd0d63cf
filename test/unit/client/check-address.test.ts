import { expect } from 'chai'
import { AddressMismatch, type CheckedCharge, checkAddress } from '../../../api/client/check-address.ts'
import { readCheckedCharge } from '../../../api/client/read-checked-charge.ts'
import { checksum } from '../../../shared/domain/address.ts'
import { formatTronAddress } from '../../../shared/domain/chain-families/tron/address.ts'
import {
  addressOfByte,
  buildCharge,
  buildTronCharge,
  FACTORY_ON_TRON,
  MERCHANT,
  PARTNER,
  TREASURY,
  withEscrow,
  withTerms,
} from '../../support/checked-charges.ts'

const THIEF = checksum(addressOfByte('ff'))

describe('checkAddress', () => {
  it('returns the payees of the address with their percentages of the total', () => {
    const charge = buildCharge({ feePercent: 1, splits: [10] })
    expect(checkAddress(charge)).to.deep.equal([
      { who: 'the merchant', address: checksum(MERCHANT), percent: '89.1000108' },
      { who: 'a recipient: partner', address: checksum(PARTNER), percent: '9.8999901' },
      { who: "the service's fee", address: checksum(TREASURY), percent: '0.8999991' },
      { who: 'the distributor', address: 'anyone', percent: '0.1' },
    ])
  })

  it('accepts a charge whose merchant gave the whole share to other recipients', () => {
    const charge = buildCharge({ feePercent: 0, splits: [60, 40] })
    expect(checkAddress(charge).map(({ who, percent }) => [who, percent])).to.deep.equal([
      ['a recipient: partner', '60'],
      ['a recipient: partner', '40'],
      ['the distributor', '0'],
    ])
  })

  it('accepts an escrow charge, whose address is the Safe of its releaser', () => {
    expect(checkAddress(withEscrow(buildCharge({})))).to.have.length(3)
  })

  it('reads percentages with more precision than a double', () => {
    const charge = buildCharge({ feePercent: 0, splits: ['9.99999999999999999999', '1e-20'] })
    expect(checkAddress(charge)).to.have.length(4)
    // Read as doubles, the percentages differ from the shares that the terms pay.
    const rounded = JSON.parse(JSON.stringify(charge).replace('"9.99999999999999999999"', '10'))
    expect(() => checkAddress(rounded)).to.throw(AddressMismatch, 'promise')
  })

  it('reads percentages from the response text even if its strings contain numbers', () => {
    const charge = {
      ...buildCharge({ feePercent: 0, splits: ['9.99999999999999999999'] }),
      note: '"percent": 1.5, \\ 7',
    }
    const text = JSON.stringify(charge).replace('"9.99999999999999999999"', '9.99999999999999999999')
    const read = readCheckedCharge(text)
    expect(read).to.deep.equal({ ...charge, feePercent: '0' })
    expect(checkAddress(read ?? expect.fail('no charge'))).to.have.length(3)
    expect(readCheckedCharge('{"address":"0x","addressTerms":null,"splitRecipients":[]}')).to.equal(null)
  })

  const tampered: Record<string, (charge: CheckedCharge) => CheckedCharge> = {
    'another address': (charge) => ({ ...charge, address: THIEF }),
    'another merchant': (charge) => withRecipient(charge, { address: THIEF }),
    'a millionth moved to another recipient': moveMillionth,
    'another factory': (charge) => withTerms(charge, { factory: THIEF }),
    'a salt that does not match the id': (charge) => withTerms(charge, { salt: `0x${'5a'.repeat(32)}` }),
    'a larger incentive': (charge) => withTerms(charge, { distributionIncentive: 50_000 }),
    'another split address': (charge) => withTerms(charge, { splitAddress: THIEF }),
    'shares that do not add up': (charge) => withTerms(charge, { recipients: [] }),
    'a Safe on a charge without escrow': (charge) => ({ ...withEscrow(charge), escrow: null }),
    'a recipient that the terms do not pay': (charge) => ({
      ...charge,
      splitRecipients: [{ address: checksum(PARTNER), percent: 10 }],
    }),
    'a fee that differs from the terms': (charge) => ({ ...charge, feePercent: 0.5 }),
  }
  for (const [title, change] of Object.entries(tampered)) {
    it(`rejects ${title}`, () => {
      expect(() => checkAddress(change(buildCharge({})))).to.throw(AddressMismatch)
    })
  }

  it('rejects an escrow without a Safe', () => {
    const charge = buildCharge({})
    const { escrow } = withEscrow(charge)
    expect(() => checkAddress({ ...charge, escrow })).to.throw(AddressMismatch, 'addressTerms.safe is null')
  })

  it('rejects a Safe with another releaser or other code', () => {
    const charge = withEscrow(buildCharge({}))
    const safe = charge.addressTerms.safe
    if (safe === null) throw new Error('no Safe')
    for (const name of ['owner', 'singleton', 'proxyFactory', 'fallbackHandler'] as const) {
      const changed = withTerms(charge, { safe: { ...safe, [name]: THIEF } })
      expect(() => checkAddress(changed), name).to.throw(AddressMismatch, name)
    }
  })

  it('requires the caller’s factory on TRON, which has no fixed factory address', () => {
    const factory = formatTronAddress(FACTORY_ON_TRON)
    const charge = buildTronCharge()
    expect(checkAddress(charge, { factory }).map(({ address: payee }) => payee)).to.deep.equal([
      formatTronAddress(MERCHANT),
      formatTronAddress(TREASURY),
      'anyone',
    ])
    expect(() => checkAddress(charge)).to.throw(AddressMismatch, '--factory')
    const other = formatTronAddress(PARTNER)
    expect(() => checkAddress(charge, { factory: other })).to.throw(AddressMismatch, `is at ${other}`)
    expect(() => checkAddress({ ...charge, address: other }, { factory })).to.throw(AddressMismatch)
  })

  it('names the wrong field and the expected value', () => {
    const charge = buildCharge({})
    expect(() => checkAddress({ ...charge, address: THIEF })).to.throw(
      `address is "${THIEF}", but according to the terms it must be ${charge.address}`,
    )
  })
})

function withRecipient(charge: CheckedCharge, change: { address: string }): CheckedCharge {
  const [first, ...others] = charge.addressTerms.recipients
  return first === undefined
    ? charge
    : withTerms(charge, { recipients: [{ ...first, ...change }, ...others] })
}

/** Keeps the sum of the shares. */
function moveMillionth(charge: CheckedCharge): CheckedCharge {
  const recipients = charge.addressTerms.recipients.map(({ address: to, allocation }, index) => ({
    address: to,
    allocation: index === 0 ? allocation - 1 : allocation + 1,
  }))
  return withTerms(charge, { recipients })
}
