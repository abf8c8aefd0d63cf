import { expect } from 'chai'
import type { Address } from '../../../shared/domain/address.ts'
import type { ChargeRecord } from '../../../shared/domain/charge.ts'
import { atto, micro } from '../../../shared/domain/money.ts'
import { percent } from '../../../shared/domain/percent.ts'
import { presentCharge } from '../../../shared/domain/present-charge.ts'
import { chargeSalt } from '../../../shared/domain/split-address.ts'

const merchant = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed' as Address
const treasury = '0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359' as Address
const createdAt = new Date('2026-11-20T12:00:00.000Z')

function buildCharge(changes: Partial<ChargeRecord> = {}): ChargeRecord {
  return {
    id: 'ch_01',
    organizationId: 'org_01',
    apiKeyId: 'key_01',
    environment: 'live',
    isSimulated: false,
    family: 'evm',
    status: 'pending',
    settlementStatus: null,
    amountMicro: micro(10_500_000n),
    receivedAtto: null,
    feePayer: 'merchant',
    feePercent: percent(150_000_000_000_000_000_000n),
    escrowFeePercent: null,
    acceptedPayments: [{ token: 'USDC', network: 'base' }],
    paidWith: [],
    address: merchant,
    splitAddress: merchant,
    splitRecipients: [],
    splitTerms: {
      factory: treasury,
      recipients: [merchant, treasury],
      allocations: [990_991, 9_009],
      totalAllocation: 1_000_000,
      distributionIncentive: 1_000,
    },
    txHash: null,
    externalRef: null,
    source: null,
    metadataText: null,
    redirectUrl: null,
    createdAt,
    expiresAt: new Date('2026-11-20T13:00:00.000Z'),
    confirmedAt: null,
    settledAt: null,
    lastActivityAt: createdAt,
    escrow: null,
    authorization: null,
    refunds: [],
    ...changes,
  }
}

const context = { checkoutBaseUrl: null, swapAlternatives: [] }
const present = (changes: Partial<ChargeRecord> = {}) =>
  JSON.parse(presentCharge(buildCharge(changes), context))

describe('presentCharge', () => {
  it('shows every field of the specification for a new charge', () => {
    expect(present()).to.deep.equal({
      id: 'ch_01',
      amount: 10.5,
      amountExact: '10.5',
      feePayer: 'merchant',
      feePercent: 1.5,
      feeAmount: 0.1575,
      merchantAmount: 10.3425,
      amountReceived: null,
      amountReceivedExact: null,
      isOverpaid: false,
      currency: 'USD',
      acceptedPayments: [{ token: 'USDC', network: 'base' }],
      paidWith: [],
      swapAlternatives: [],
      address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
      addressTerms: {
        family: 'evm',
        factory: '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
        salt: chargeSalt('ch_01'),
        recipients: [
          { address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', allocation: 990_991 },
          { address: '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359', allocation: 9_009 },
        ],
        totalAllocation: 1_000_000,
        distributionIncentive: 1_000,
        splitAddress: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
        safe: null,
      },
      status: 'pending',
      settlementStatus: null,
      environment: 'live',
      apiKeyId: 'key_01',
      txHash: null,
      externalRef: null,
      source: null,
      metadata: null,
      redirectUrl: null,
      checkoutUrl: null,
      splitRecipients: [],
      createdAt: '2026-11-20T12:00:00.000Z',
      expiresAt: '2026-11-20T13:00:00.000Z',
      confirmedAt: null,
      settledAt: null,
      lastActivityAt: '2026-11-20T12:00:00.000Z',
      escrow: null,
      authorization: null,
      amountRefunded: 0,
      amountRefundedExact: '0',
      refunds: [],
    })
  })

  it('shows the received amount with all 18 decimals, and an overpayment of one unit', () => {
    const exact = present({ receivedAtto: atto(10_500_000_000_000_000_000n) })
    expect(exact).to.include({ amountReceived: 10.5, amountReceivedExact: '10.5', isOverpaid: false })
    const over = present({ receivedAtto: atto(10_500_000_000_000_000_001n) })
    expect(over).to.include({ amountReceivedExact: '10.500000000000000001', isOverpaid: true })
  })

  it('returns the original text of the metadata', () => {
    const metadataText = '{"b": 1.0, "a": 1e2, "9007199254740993": 9007199254740993,\n "x": "\\u0041\\"}"}'
    const text = presentCharge(buildCharge({ metadataText }), context)
    expect(text).to.contain(`"metadata":${metadataText},`)
    expect(JSON.parse(text).metadata).to.deep.equal(JSON.parse(metadataText))
  })

  it('returns split recipients with their original percentages', () => {
    const { splitRecipients } = present({
      splitRecipients: [
        { address: treasury, percentText: '33.333333333333', label: 'Partner' },
        { address: treasury, percentText: '1e-12' },
      ],
    })
    const percentText = '12.34567890123456789012'
    expect(
      presentCharge(buildCharge({ splitRecipients: [{ address: treasury, percentText }] }), context),
    ).to.contain(`"percent":${percentText}}`)
    expect(splitRecipients).to.deep.equal([
      { address: '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359', percent: 33.333333333333, label: 'Partner' },
      { address: '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359', percent: 0.000000000001 },
    ])
  })

  it('shows an escrow and the terms of its Safe', () => {
    const charge = present({
      escrow: {
        releaserAddress: merchant,
        releasedAt: new Date('2026-11-20T12:30:00Z'),
        refundedAt: null,
        pendingAction: null,
      },
    })
    expect(charge.escrow).to.deep.equal({
      releaserAddress: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
      releasedAt: '2026-11-20T12:30:00.000Z',
      refundedAt: null,
      pendingAction: null,
    })
    expect(charge.addressTerms.safe).to.deep.equal({
      owner: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
      threshold: 1,
      singleton: '0x29fcB43b46531BcA003ddC8FCB67FFE91900C762',
      proxyFactory: '0x4e1DCf7AD4e460CfD30791CCC4F9c8a4f820ec67',
      fallbackHandler: '0xfd0732Dc9E303f09fCEf3a7388Ad10A83459Ec99',
    })
  })

  it('shows the addresses of a TRON charge in TRON notation', () => {
    const charge = present({ family: 'tron', acceptedPayments: [{ token: 'USDT', network: 'tron' }] })
    expect(charge.address).to.match(/^T[1-9A-HJ-NP-Za-km-z]{33}$/)
    expect(charge.addressTerms.recipients[0].address).to.equal(charge.address)
    expect(charge.addressTerms.family).to.equal('tron')
  })

  it('adds the checkout URL, the swap alternatives and whether payment is unavailable', () => {
    const charge = JSON.parse(
      presentCharge(buildCharge(), {
        checkoutBaseUrl: 'https://pay.example/',
        swapAlternatives: [{ token: 'ETH', network: 'base' }],
        paymentUnavailable: true,
      }),
    )
    expect(charge).to.deep.include({
      checkoutUrl: 'https://pay.example/ch_01',
      swapAlternatives: [{ token: 'ETH', network: 'base' }],
      paymentUnavailable: true,
    })
  })
})
