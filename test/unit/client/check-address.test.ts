import { expect } from 'chai'
import { AddressMismatch, type CheckedCharge, checkAddress } from '../../../api/client/check-address.ts'
import { readCheckedCharge } from '../../../api/client/read-checked-charge.ts'
import { type Address, checksum, parseEvmAddress } from '../../../shared/domain/address.ts'
import { allocate } from '../../../shared/domain/allocation.ts'
import { formatTronAddress } from '../../../shared/domain/chain-families/tron/address.ts'
import { predictTronSplit } from '../../../shared/domain/chain-families/tron/predict-split.ts'
import { predictSafeAddress, SAFE_CONTRACTS } from '../../../shared/domain/escrow-address.ts'
import { newId } from '../../../shared/domain/ids.ts'
import { parsePercent } from '../../../shared/domain/percent.ts'
import {
  chargeSalt,
  predictSplitAddress,
  SPLIT_FACTORY,
  SPLIT_IMPLEMENTATION,
} from '../../../shared/domain/split-address.ts'

const MERCHANT = address('a1')
const TREASURY = address('77')
const PARTNER = address('b2')
const FACTORY_ON_TRON = address('fa')
const THIEF = checksum(address('ff'))

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

  it('reads percentages digit by digit, with more precision than a double', () => {
    const charge = buildCharge({ feePercent: 0, splits: ['9.99999999999999999999', '1e-20'] })
    expect(checkAddress(charge)).to.have.length(4)
    // If percentages are read as doubles, the same charge promises shares that differ from the ones it pays.
    const rounded = JSON.parse(JSON.stringify(charge).replace('"9.99999999999999999999"', '10'))
    expect(() => checkAddress(rounded)).to.throw(AddressMismatch, 'promise')
  })

  it('reads percentages from the response text even if other strings in it contain numbers', () => {
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

  it('rejects a Safe with another releaser or other code', () => {
    const charge = withEscrow(buildCharge({}))
    const safe = charge.addressTerms.safe
    if (safe === null) throw new Error('no Safe')
    for (const name of ['owner', 'singleton', 'proxyFactory', 'fallbackHandler'] as const) {
      const changed = withTerms(charge, { safe: { ...safe, [name]: THIEF } })
      expect(() => checkAddress(changed), name).to.throw(AddressMismatch, name)
    }
  })

  it('requires a factory on TRON, which has no fixed factory address', () => {
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

function buildCharge({
  feePercent = 1,
  splits = [],
}: {
  feePercent?: number
  splits?: (number | string)[]
}): CheckedCharge {
  const allocated = allocate({
    feePercent: percent(feePercent),
    distributorFeePercent: percent(0.1),
    merchant: MERCHANT,
    treasury: TREASURY,
    splitRecipients: splits.map((share) => ({ address: PARTNER, percent: percent(share) })),
  })
  if (!allocated.ok) throw new Error(allocated.code)
  const { split } = allocated
  const id = newId('ch', Date.now())
  const salt = chargeSalt(id)
  const splitAddress = checksum(
    predictSplitAddress({ factory: SPLIT_FACTORY, implementation: SPLIT_IMPLEMENTATION, split, salt }),
  )
  return {
    id,
    address: splitAddress,
    feePercent,
    splitRecipients: splits.map((share) => ({
      address: checksum(PARTNER),
      percent: share,
      label: 'partner',
    })),
    escrow: null,
    addressTerms: {
      factory: checksum(SPLIT_FACTORY),
      salt,
      recipients: split.recipients.map((recipient, index) => ({
        address: checksum(recipient),
        allocation: split.allocations[index] ?? 0,
      })),
      totalAllocation: split.totalAllocation,
      distributionIncentive: split.distributionIncentive,
      splitAddress,
      safe: null,
    },
  }
}

/** Builds a charge with the same terms on TRON. */
function buildTronCharge(): CheckedCharge {
  const charge = buildCharge({})
  const terms = charge.addressTerms
  const split = {
    recipients: [MERCHANT, TREASURY],
    allocations: terms.recipients.map(({ allocation }) => allocation),
    totalAllocation: terms.totalAllocation,
    distributionIncentive: terms.distributionIncentive,
  }
  const place = { factory: FACTORY_ON_TRON, split, salt: chargeSalt(charge.id) }
  const splitAddress = formatTronAddress(predictTronSplit(place))
  return {
    ...withTerms(charge, {
      factory: formatTronAddress(FACTORY_ON_TRON),
      recipients: split.recipients.map((recipient, index) => ({
        address: formatTronAddress(recipient),
        allocation: split.allocations[index] ?? 0,
      })),
      splitAddress,
    }),
    address: splitAddress,
  }
}

function withEscrow(charge: CheckedCharge): CheckedCharge {
  const safe = {
    owner: checksum(PARTNER),
    threshold: 1,
    singleton: checksum(SAFE_CONTRACTS.singleton),
    proxyFactory: checksum(SAFE_CONTRACTS.proxyFactory),
    fallbackHandler: checksum(SAFE_CONTRACTS.fallbackHandler),
  }
  return {
    ...withTerms(charge, { safe }),
    address: checksum(predictSafeAddress({ releaser: PARTNER, saltNonce: chargeSalt(charge.id) })),
    escrow: {
      ...{ releaserAddress: checksum(PARTNER), releasedAt: null, refundedAt: null },
      pendingAction: null,
    },
  }
}

function withTerms(charge: CheckedCharge, terms: Partial<CheckedCharge['addressTerms']>): CheckedCharge {
  return { ...charge, addressTerms: { ...charge.addressTerms, ...terms } }
}

function withRecipient(charge: CheckedCharge, change: { address: string }): CheckedCharge {
  const [first, ...others] = charge.addressTerms.recipients
  return first === undefined
    ? charge
    : withTerms(charge, { recipients: [{ ...first, ...change }, ...others] })
}

/** Moves a millionth to another recipient, so that the sum stays the same. */
function moveMillionth(charge: CheckedCharge): CheckedCharge {
  const recipients = charge.addressTerms.recipients.map(({ address: to, allocation }, index) => ({
    address: to,
    allocation: index === 0 ? allocation - 1 : allocation + 1,
  }))
  return withTerms(charge, { recipients })
}

function percent(value: number | string) {
  const parsed = parsePercent(String(value), { maxFractionDigits: 20 })
  if (parsed === null) throw new Error(`${value} is not a percentage`)
  return parsed
}

function address(byte: string): Address {
  const parsed = parseEvmAddress(`0x${byte.repeat(20)}`)
  if (parsed === null) throw new Error(`${byte} does not make an address`)
  return parsed
}
