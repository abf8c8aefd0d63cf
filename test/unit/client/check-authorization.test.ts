import { expect } from 'chai'
import {
  checkAuthorization,
  SignatureMismatch,
  type SignedPayment,
} from '../../../api/client/check-authorization.ts'
import type { Address } from '../../../shared/domain/address.ts'
import { ASKED, buildTypedData, CHARGE, PAIR, PAYER } from '../../support/signature-request.ts'

const STRANGER = `0x${'66'.repeat(20)}` as Address
const seconds = () => BigInt(Math.floor(Date.now() / 1000))

describe('checkAuthorization', () => {
  it('returns the requested transfer, rebuilt from checked values', () => {
    const sent = buildTypedData()
    const ours = check(sent)
    expect(ours).to.deep.equal(sent)
    expect(ours).not.to.equal(sent)
  })

  it('accepts less than the charge’s amount, because seen transfers are subtracted', () => {
    expect(check(buildTypedData({ value: 1n })).message.value).to.equal('1')
  })

  it('accepts an unknown token if the caller passes its data', () => {
    const pair = { token: 'USDT', network: 'base' } as const
    const token = {
      ...{ chainId: 31337, address: STRANGER, decimals: 6 },
      domain: { name: 'Tether', version: '1' },
    }
    const sent = buildTypedData()
    const { domain } = { domain: { ...token.domain, chainId: 31337, verifyingContract: STRANGER } }
    const ours = check({ ...sent, domain }, { pair, token })
    expect(ours.domain).to.deep.include({ name: 'Tether', chainId: 31337 })
    expect(() => check(sent, { pair })).to.throw(SignatureMismatch, 'the signing domain of USDT on base')
  })

  type Sent = ReturnType<typeof buildTypedData>
  const LIES: readonly (readonly [title: string, words: string, typedData: (sent: Sent) => unknown])[] = [
    ['pays another address', `message.to ${STRANGER}`, () => buildTypedData({ to: STRANGER })],
    ['names another payer', `message.from ${STRANGER}`, () => buildTypedData({ from: STRANGER })],
    ['pays more than the amount due', 'more than 10', () => buildTypedData({ value: 10_000_001n })],
    ['is valid for sixteen minutes', 'valid before', () => buildTypedData({ validBefore: seconds() + 960n })],
    ['has expired', 'valid before', () => buildTypedData({ validBefore: seconds() })],
    ['is not valid yet', 'valid until', () => buildTypedData({ validAfter: seconds() + 60n })],
    [
      'is for another chain',
      'domain.chainId 1',
      (sent) => ({ ...sent, domain: { ...sent.domain, chainId: 1 } }),
    ],
    [
      'is for another token',
      'domain.verifyingContract 0x66',
      (sent) => ({ ...sent, domain: { ...sent.domain, verifyingContract: STRANGER } }),
    ],
    [
      'has no chain id',
      'no domain.chainId',
      (sent) => ({ ...sent, domain: { name: 'USD Coin', version: '2' } }),
    ],
    [
      'has another domain name',
      'domain.name Gold',
      (sent) => ({ ...sent, domain: { ...sent.domain, name: 'Gold' } }),
    ],
    [
      'has a domain with a salt',
      'domain.salt 0x01',
      (sent) => ({ ...sent, domain: { ...sent.domain, salt: '0x01' } }),
    ],
    [
      'is a permit, although the fields of a transfer are correct',
      'primaryType Permit',
      (sent) => ({
        ...sent,
        primaryType: 'Permit',
        types: { ...sent.types, Permit: [{ name: 'spender', type: 'address' }] },
        message: { ...sent.message, spender: STRANGER },
      }),
    ],
    [
      'has unexpected fields under the expected type name',
      'TransferWithAuthorization.1.name spender',
      (sent) => ({
        ...sent,
        types: {
          ...sent.types,
          TransferWithAuthorization: sent.types.TransferWithAuthorization.with(1, {
            name: 'spender',
            type: 'address',
          } as never),
        },
      }),
    ],
    [
      'has no nonce',
      'nonce undefined',
      (sent) => ({ ...sent, message: { ...sent.message, nonce: undefined } }),
    ],
    [
      'has a negative amount',
      'not a whole number',
      (sent) => ({ ...sent, message: { ...sent.message, value: '-1' } }),
    ],
  ]
  for (const [title, words, typedData] of LIES)
    it(`rejects data that ${title}`, () => {
      const lie = typedData(buildTypedData())
      expect(() => check(lie)).to.throw(SignatureMismatch, words)
    })

  it('rejects data for another pair', () => {
    const pair = { token: 'USDC', network: 'arbitrum' } as const
    const prepared = [{ ...PAIR, tokenAddress: STRANGER, typedData: buildTypedData() as never }]
    expect(() => checkAuthorization({ ...ASKED, pair }, prepared)).to.throw(SignatureMismatch, 'arbitrum')
  })

  it('rejects more than the amount that is not credited yet', () => {
    const charge = { ...CHARGE, amountReceivedExact: '4' }
    expect(check(buildTypedData({ value: 6_000_000n }), { charge }).message.value).to.equal('6000000')
    expect(() => check(buildTypedData({ value: 6_000_001n }), { charge })).to.throw('more than 6')
  })

  it('requires the test token for a test charge', () => {
    const charge = { ...CHARGE, environment: 'test' } as const
    expect(() => check(buildTypedData(), { charge })).to.throw(SignatureMismatch, 'domain.name USD Coin')
  })
})

function check(typedData: unknown, changes: Partial<SignedPayment> = {}) {
  const payment = { ...ASKED, payer: PAYER, ...changes }
  return checkAuthorization(payment, [
    { ...payment.pair, tokenAddress: STRANGER, typedData: typedData as never },
  ])
}
