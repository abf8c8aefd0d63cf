import { expect } from 'chai'
import { parsePayload } from '../../../indexer/requests/parse-payload.ts'

const HASH = `0x${'ab'.repeat(32)}`
const SIGNATURE = `0x${'ab'.repeat(65)}`
const PAIR = { token: 'USDC', network: 'base' }
const TRIGGER = { event: 'charge.confirmed', amountAtto: null, pair: PAIR, from: null }
const ORDER = { chainId: 8453, action: 'release', signature: SIGNATURE }

const AUTHORIZATION = {
  ...{
    chainId: 8453,
    token: `0x${'c0'.repeat(20)}`,
    from: `0x${'12'.repeat(20)}`,
    to: `0x${'34'.repeat(20)}`,
  },
  ...{ value: '10', validAfter: '0', validBefore: '9', nonce: HASH, signature: SIGNATURE },
}

const REFUND = {
  ...{ action: 'declare', amount: '1.5', token: null, network: null, from: null },
  ...{ destination: `0x${'12'.repeat(20)}`, claimHash: null, reason: 'other', idempotencyKey: 'one' },
}
const REFUND_ID = `rf_${'0'.repeat(36)}`
const LINK = { refundId: REFUND_ID, claimHash: 'ab'.repeat(32) }
const SIGNED = { signer: `0x${'34'.repeat(20)}`, signature: SIGNATURE }
const CLAIM = { action: 'claim', ...LINK, destination: `0x${'12'.repeat(20)}`, signed: null }

type Kind = Parameters<typeof parsePayload>[0]

const MADE_BY_THE_API: readonly (readonly [Kind, object])[] = [
  ['check', { hint: null }],
  ['check', { hint: { network: 'base', txHash: HASH } }],
  ['sandbox_trigger', TRIGGER],
  ['sandbox_trigger', { ...TRIGGER, amountAtto: '1000000000000000000' }],
  ['sandbox_trigger', { ...TRIGGER, from: `0x${'12'.repeat(20)}` }],
  ['sandbox_trigger', { ...TRIGGER, event: 'charge.settled' }],
  ['escrow_order', { ...ORDER, amountAtomic: '10000000' }],
  ['escrow_order', { ...ORDER, action: 'refund', amountAtomic: null }],
  ['refund', REFUND],
  ['refund', { ...REFUND, amount: 'all', ...PAIR, from: `0x${'34'.repeat(20)}` }],
  ['refund', { action: 'cancel', refundId: REFUND_ID }],
  ['refund', { action: 'check', refundId: REFUND_ID, txHash: null }],
  ['refund', { action: 'check', refundId: REFUND_ID, txHash: HASH }],
  ['refund', { ...REFUND, destination: null, claimHash: LINK.claimHash }],
  ['refund', CLAIM],
  ['refund', { ...CLAIM, signed: SIGNED }],
  ['refund', { action: 'approve', refundId: REFUND_ID, address: CLAIM.destination }],
  ['refund', { action: 'reject', ...LINK }],
  ['refund', { action: 'renew_link', ...LINK }],
  ['refund', { action: 'simulate', event: 'charge.refunded' }],
  ['refund', { action: 'simulate', event: 'charge.refund_claimed' }],
  ['delivery_retry', { environment: 'live' }],
  ['webhook_test', { environment: 'test' }],
]

const FORGED: readonly (readonly [string, Kind, unknown])[] = [
  ['an empty payload', 'check', null],
  ['a list', 'check', [{ hint: null }]],
  ['no hint', 'check', {}],
  ['a hint that is a string', 'check', { hint: HASH }],
  ['an unknown network', 'check', { hint: { network: 'solana', txHash: HASH } }],
  ['a hash that is too long', 'check', { hint: { network: 'base', txHash: `${HASH}00` } }],
  ['a hash with a line break', 'check', { hint: { network: 'base', txHash: `${HASH}\n` } }],
  ['an unknown event', 'sandbox_trigger', { ...TRIGGER, event: 'charge.credited' }],
  ['an unknown pair', 'sandbox_trigger', { ...TRIGGER, pair: { token: 'DAI', network: 'base' } }],
  ['no pair', 'sandbox_trigger', { ...TRIGGER, pair: null }],
  ['a payer that is not an address', 'sandbox_trigger', { ...TRIGGER, from: 'me' }],
  ['a negative amount', 'sandbox_trigger', { ...TRIGGER, amountAtto: '-1' }],
  ['an amount of zero', 'sandbox_trigger', { ...TRIGGER, amountAtto: '0' }],
  [
    'an amount above the maximum of a charge',
    'sandbox_trigger',
    { ...TRIGGER, amountAtto: `1${'0'.repeat(30)}` },
  ],
  ['an amount that is a number', 'sandbox_trigger', { ...TRIGGER, amountAtto: 1 }],
  [
    'an amount for an event that no payment causes',
    'sandbox_trigger',
    { ...TRIGGER, event: 'charge.settled', amountAtto: '1' },
  ],
  ['an unknown action', 'escrow_order', { ...ORDER, action: 'burn' }],
  ['a signature of a different length', 'escrow_order', { ...ORDER, signature: `${SIGNATURE}00` }],
  ['an amount of zero', 'escrow_order', { ...ORDER, amountAtomic: '0' }],
  ['an amount that is a number', 'escrow_order', { ...ORDER, amountAtomic: 10 }],
  ['an amount of 79 digits', 'escrow_order', { ...ORDER, amountAtomic: '1'.repeat(79) }],
  ['a chain id that is a string', 'escrow_order', { ...ORDER, chainId: '8453' }],
  ['a negative chain id', 'escrow_order', { ...ORDER, chainId: -1 }],
  ['a token that is not an address', 'authorization', { ...AUTHORIZATION, token: 'USDC' }],
  ['a token address in upper case', 'authorization', { ...AUTHORIZATION, token: `0x${'C0'.repeat(20)}` }],
  ['a value that is a number', 'authorization', { ...AUTHORIZATION, value: 10 }],
  ['a negative value', 'authorization', { ...AUTHORIZATION, value: '-10' }],
  [
    'a signature longer than 2 KiB',
    'authorization',
    { ...AUTHORIZATION, signature: `0x${'ab'.repeat(2049)}` },
  ],
  ['no signature', 'authorization', { ...AUTHORIZATION, signature: null }],
  ['a chain id that is a string', 'authorization', { ...AUTHORIZATION, chainId: '8453' }],
  ['an unknown action', 'refund', { ...REFUND, action: 'confirm' }],
  ['a negative amount', 'refund', { ...REFUND, amount: '-1' }],
  ['an amount with an exponent', 'refund', { ...REFUND, amount: '1e3' }],
  ['an amount that is a number', 'refund', { ...REFUND, amount: 1 }],
  ['an unknown token', 'refund', { ...REFUND, token: 'DAI' }],
  ['an unknown network', 'refund', { ...REFUND, network: 'solana' }],
  ['a wallet that is not an address', 'refund', { ...REFUND, from: 'me' }],
  ['a destination that is not an address', 'refund', { ...REFUND, destination: 'me' }],
  ['no destination', 'refund', { ...REFUND, destination: null }],
  ['a destination in upper case', 'refund', { ...REFUND, destination: `0x${'AB'.repeat(20)}` }],
  ['an unknown reason', 'refund', { ...REFUND, reason: 'theft' }],
  ['an empty key', 'refund', { ...REFUND, idempotencyKey: '' }],
  ['a key with a line break', 'refund', { ...REFUND, idempotencyKey: 'a\nb' }],
  ['an address and a link', 'refund', { ...REFUND, claimHash: LINK.claimHash }],
  ['a link that is not a hash', 'refund', { ...REFUND, destination: null, claimHash: 'secret' }],
  ['a claim without a link', 'refund', { ...CLAIM, claimHash: null }],
  ['a claim without an address', 'refund', { ...CLAIM, destination: null }],
  ['a signer that is not an address', 'refund', { ...CLAIM, signed: { ...SIGNED, signer: 'me' } }],
  ['a signature that is not hex', 'refund', { ...CLAIM, signed: { ...SIGNED, signature: '0xno' } }],
  [
    'a signature longer than 2 KiB',
    'refund',
    { ...CLAIM, signed: { ...SIGNED, signature: `0x${'ab'.repeat(2049)}` } },
  ],
  [
    'a signature of a contract that is not deployed',
    'refund',
    { ...CLAIM, signed: { ...SIGNED, signature: `0x${'64926492'.repeat(8)}` } },
  ],
  ['an approval without an address', 'refund', { action: 'approve', refundId: REFUND_ID, address: null }],
  ['a rejection without a new link', 'refund', { action: 'reject', refundId: REFUND_ID, claimHash: null }],
  ['an unknown sandbox event', 'refund', { action: 'simulate', event: 'charge.confirmed' }],
  ['the id of a charge', 'refund', { action: 'cancel', refundId: 'ch_1' }],
  ['a hash that is too short', 'refund', { action: 'check', refundId: REFUND_ID, txHash: '0x12' }],
  ['an unknown environment', 'delivery_retry', { environment: 'production' }],
  ['no environment', 'webhook_test', {}],
]

describe('parsePayload', () => {
  for (const [kind, payload] of MADE_BY_THE_API) {
    it(`parses ${kind} ${JSON.stringify(payload).slice(0, 60)}`, () => {
      expect(parsePayload(kind, payload)).to.deep.equal(payload)
    })
  }

  it('parses the previous build’s escrow order, which has no amount', () => {
    expect(parsePayload('escrow_order', ORDER)).to.deep.equal({ ...ORDER, amountAtomic: null })
  })

  it('parses the previous build’s refund requests, which have no claims', () => {
    const { claimHash: _, ...declared } = REFUND
    expect(parsePayload('refund', declared)).to.deep.equal(REFUND)
    expect(parsePayload('refund', { action: 'simulate' })).to.deep.equal({
      ...{ action: 'simulate', event: 'charge.refunded' },
    })
  })

  for (const [title, kind, payload] of FORGED) {
    it(`rejects a request of kind ${kind} with ${title}`, () => {
      expect(parsePayload(kind, payload)).to.equal(null)
    })
  }

  it('parses an authorization, with its value and times as bigints', () => {
    for (const signature of [SIGNATURE, `0x${'ab'.repeat(2048)}`]) {
      const { chainId, token, from, to, nonce } = AUTHORIZATION
      const signed = { from, to, value: 10n, validAfter: 0n, validBefore: 9n, nonce, signature }
      expect(parsePayload('authorization', { ...AUTHORIZATION, signature })).to.deep.equal({
        chainId,
        token,
        signed,
      })
    }
  })
})
