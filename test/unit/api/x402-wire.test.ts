import {
  decodePaymentRequiredHeader,
  decodePaymentResponseHeader,
  encodePaymentSignatureHeader,
} from '@x402/core/http'
import { expect } from 'chai'
import fc from 'fast-check'
import { getAddress } from 'viem'
import {
  decodeHeaderJson,
  encodeHeaderJson,
} from '../../../api/charges/pay-by-signature/x402/header-codec.ts'
import {
  presentPaymentRequired,
  type RequiredPair,
} from '../../../api/charges/pay-by-signature/x402/payment-required.ts'
import {
  findRejectionReason,
  presentPaymentResponse,
} from '../../../api/charges/pay-by-signature/x402/payment-response.ts'
import { readPaymentSignature } from '../../../api/charges/pay-by-signature/x402/payment-signature.ts'
import type { Address } from '../../../shared/domain/address.ts'
import { AppError } from '../../../shared/domain/errors.ts'
import { atomic } from '../../../shared/domain/money.ts'
import { REGISTRY } from '../../../shared/domain/network-registry.ts'
import { NETWORKS } from '../../../shared/domain/networks.ts'

const CHARGE = '0x5afe5afe5afe5afe5afe5afe5afe5afe5afe5afe' as Address
const PAYER = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'

/** All live pairs of the registry that support signatures, which is the maximum that a charge can request. */
const PAIRS: readonly RequiredPair[] = NETWORKS.flatMap((network) => {
  const { chainId, tokens } = REGISTRY[network].live
  return Object.values(tokens).flatMap(({ address, authorization }) =>
    authorization === null
      ? []
      : [
          {
            ...{ chainId, tokenAddress: address, domain: authorization },
            ...{ valueAtomic: atomic(123_456_789_012n), offeredSeconds: 300 },
          },
        ],
  )
})

const REQUIRED = {
  url: `https://pay.example.com/ch_${'0'.repeat(36)}/x402`,
  ...{ payTo: CHARGE, pairs: PAIRS, error: 'payment_required' },
}

describe('PAYMENT-REQUIRED', () => {
  const required = presentPaymentRequired(REQUIRED)

  it('is decoded by x402’s own client without changes, including non-ASCII characters', () => {
    const read = decodePaymentRequiredHeader(encodeHeaderJson(required))
    expect(read).to.deep.equal(required)
    expect(read.accepts.map(({ extra }) => extra['name'])).to.include('USD₮0')
  })

  it('requests the exact amount at the charge’s address, only by EIP-3009', () => {
    expect(required.accepts[0]).to.deep.equal({
      scheme: 'exact',
      network: 'eip155:8453',
      amount: '123456789012',
      asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
      payTo: getAddress(CHARGE),
      maxTimeoutSeconds: 300,
      extra: { assetTransferMethod: 'eip3009', name: 'USD Coin', version: '2' },
    })
  })

  it('stays below 4,000 bytes with all pairs, because proxies have a buffer of 4 KiB', () => {
    expect(PAIRS).to.have.length(8)
    expect(encodeHeaderJson(required).length).to.be.below(4_000)
  })
})

describe('PAYMENT-SIGNATURE', () => {
  const required = presentPaymentRequired(REQUIRED)
  const [accepted] = required.accepts
  if (accepted === undefined) throw new Error('no payment is requested')
  const authorization = {
    from: PAYER,
    to: accepted.payTo,
    value: accepted.amount,
    validAfter: '0',
    validBefore: '1800000000',
    nonce: `0x${'ab'.repeat(32)}`,
  }
  const payment = {
    x402Version: 2,
    resource: required.resource,
    accepted,
    payload: { signature: `0x${'cd'.repeat(65)}`, authorization },
    extensions: { 'payment-identifier': { info: { id: 'x'.repeat(40) } } },
  }

  it('is decoded as written by x402’s own client, even with an extension', () => {
    expect(readPaymentSignature(encodePaymentSignatureHeader(payment as never))).to.deep.equal({
      chainId: 8453,
      token: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
      written: { ...authorization, signature: payment.payload.signature },
    })
  })

  const lies: readonly [string, object, string][] = [
    ['version 1', { ...payment, x402Version: 1 }, 'x402Version'],
    ['another scheme', { ...payment, accepted: { ...accepted, scheme: 'upto' } }, 'accepted.scheme'],
    ['a chain by its name', { ...payment, accepted: { ...accepted, network: 'base' } }, 'accepted.network'],
    [
      'a token that is not an address',
      { ...payment, accepted: { ...accepted, asset: 'USDC' } },
      'accepted.asset',
    ],
    ['an amount that is a number', payload({ value: 1 }), 'payload.authorization.value'],
    [
      'an amount that differs from the accepted amount',
      payload({ value: '1' }),
      'payload.authorization.value',
    ],
    ['a payee that differs from the accepted payee', payload({ to: PAYER }), 'payload.authorization.to'],
    ['no nonce', payload({ nonce: undefined }), 'payload.authorization.nonce'],
    ['no payload', { ...payment, payload: undefined }, 'payload'],
    ['a list', [payment], ''],
  ]
  for (const [title, lie, param] of lies)
    it(`is rejected with ${title}, and the error names the member, if any`, () => {
      const error = failure(() => readPaymentSignature(encodeHeaderJson(lie)))
      expect([error.code, error.param ?? '']).to.deep.equal(['validation_error', param])
    })

  it('is rejected if it is longer than 8 KiB, not canonical base64, not UTF-8, not JSON, or JSON with a duplicate name', () => {
    const good = encodeHeaderJson(payment)
    const wrong = [
      Buffer.from('x'.repeat(8 * 1024)).toString('base64'),
      ` ${good}`,
      `${good.slice(0, 8)}\u00a0${good.slice(8)}`,
      good.replace(/=*$/, '==='),
      Buffer.from([0x7b, 0xff, 0x7d]).toString('base64'),
      Buffer.from('{"a":1,"a":2}').toString('base64'),
      Buffer.from('nothing').toString('base64'),
    ]
    for (const one of wrong)
      expect(failure(() => readPaymentSignature(one)).param).to.equal('PAYMENT-SIGNATURE')
  })

  it('yields a payment or a validation error for any header text', () => {
    const headers = fc.oneof(
      fc.string(),
      fc.json().map((text) => Buffer.from(text).toString('base64')),
      fc.base64String(),
    )
    fc.assert(
      fc.property(headers, (header) => {
        try {
          readPaymentSignature(header)
        } catch (error) {
          expect((error as AppError).code).to.equal('validation_error')
        }
      }),
    )
  })

  it('keeps any flat JSON object of strings (up to 8 KiB, without NUL or `__proto__`) when encoded and decoded again', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ minLength: 1 }), fc.string()), (value) => {
        fc.pre(!Object.keys(value).includes('__proto__') && !JSON.stringify(value).includes('\\u0000'))
        fc.pre(encodeHeaderJson(value).length <= 8 * 1024)
        expect({ ...(decodeHeaderJson('X', encodeHeaderJson(value)).value as object) }).to.deep.equal({
          ...value,
        })
      }),
    )
  })

  function payload(changed: object) {
    return {
      ...payment,
      payload: { ...payment.payload, authorization: { ...authorization, ...changed } },
    }
  }
})

describe('PAYMENT-RESPONSE', () => {
  const of = { chainId: 8453, payer: PAYER, amount: '10' }

  it('is decoded by x402’s own client, whether the payment is mined, pending or rejected', () => {
    const read = (outcome: Parameters<typeof presentPaymentResponse>[0]) =>
      decodePaymentResponseHeader(encodeHeaderJson(presentPaymentResponse(outcome)))
    expect(read({ ...of, type: 'mined', txHash: '0xab' })).to.deep.equal({
      ...{ success: true, transaction: '0xab', network: 'eip155:8453', payer: PAYER, amount: '10' },
    })
    expect(read({ ...of, type: 'pending', txHash: null })).to.include({
      ...{ success: false, errorReason: 'settlement_pending', transaction: '' },
    })
    expect(read({ ...of, type: 'refused', reason: 'why', message: 'so' })).to.include({
      ...{ success: false, errorReason: 'why', errorMessage: 'so', transaction: '' },
    })
  })

  it('uses x402’s reasons only for errors that the payment caused', () => {
    expect(findRejectionReason('insufficient_balance' as never, undefined)).to.equal(
      'invalid_exact_evm_insufficient_balance',
    )
    expect(findRejectionReason('authorization_invalid' as never, 'value')).to.equal(
      'invalid_exact_evm_payload_authorization_value_mismatch',
    )
    expect(findRejectionReason('authorization_invalid' as never, 'network')).to.equal('invalid_payload')
    for (const code of ['charge_not_payable', 'service_unavailable', 'rate_limited'] as const)
      expect(findRejectionReason(code, undefined)).to.equal(null)
  })
})

function failure(act: () => unknown): AppError {
  try {
    act()
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
  throw new Error('no error was thrown')
}
