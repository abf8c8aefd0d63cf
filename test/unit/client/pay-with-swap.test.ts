import { expect } from 'chai'
import { payWithSwap, QuoteMismatch, swapCalls } from '../../../api/client/pay-with-swap.ts'
import type { Schema } from '../../../api/client/schema.ts'
import type { Address } from '../../../shared/domain/address.ts'
import { presentPermit } from '../../../shared/domain/swap/permit2.ts'

const CHARGE = { address: `0x${'c4'.repeat(20)}` }
const TAKER = `0x${'12'.repeat(20)}` as const
const SETTLER = `0x${'5e'.repeat(20)}`
const PERMIT2 = '0x000000000022D473030F116dDEE9F6B43aC78BA3'
const LINK = '0x88Fb150BDc53A65fe94Dea0c9BA0a6dAf8C6e196'
const SIGNATURE = `0x${'ab'.repeat(65)}` as const

describe('swapCalls', () => {
  it('returns one transaction for a swap of the native coin', () => {
    const [send, ...others] = swapCalls({ charge: CHARGE, quote: quoteOf(), taker: TAKER })
    expect(others).to.deep.equal([])
    const { transaction } = quoteOf()
    expect(send?.request()).to.deep.equal({
      method: 'eth_sendTransaction',
      params: [{ from: TAKER, to: SETTLER, data: transaction.data, value: '0x7b', gas: '0x493e0' }],
    })
  })

  it('returns an approval for Permit2, a request to sign, and a transaction that ends with the signature', () => {
    const quote = quoteOf({ permit2: permit(), allowanceTarget: PERMIT2, value: '0' })
    const calls = swapCalls({ charge: CHARGE, quote, taker: TAKER })
    expect(calls.map(({ name }) => name)).to.deep.equal(['approve', 'sign', 'send'])
    const [approve, sign, send] = calls.map(({ request }) => request(SIGNATURE))
    const [approval] = (approve?.params ?? []) as unknown as [{ to: string; data: string }]
    expect(approval.to).to.equal(LINK)
    expect(approval.data).to.match(new RegExp(`^0x095ea7b3.*${PERMIT2.slice(2)}f{64}$`, 'i'))
    expect(sign?.method).to.equal('eth_signTypedData_v4')
    expect(sign?.params[0]).to.equal(TAKER)
    const [sent] = (send?.params ?? []) as unknown as [{ data: string }]
    const length = (65).toString(16).padStart(64, '0')
    expect(sent.data).to.equal(`${quote.transaction.data}${length}${SIGNATURE.slice(2)}`)
  })

  const { types } = permit().eip712
  const lies: readonly (readonly [title: string, words: string, quote: Schema<'SwapQuote'>])[] = [
    ['pays another address', 'not the charge', quoteOf({ recipient: '66'.repeat(20) })],
    ['names another spender', 'message.spender', quoteOf({ permit2: permit({ spender: TAKER }) })],
    [
      'requests an approval for another spender',
      'not for Permit2',
      quoteOf({ permit2: permit(), allowanceTarget: TAKER }),
    ],
    ['requests another token', 'message.permitted.token', quoteOf({ permit2: permit({ token: TAKER }) })],
    ['permits more than it shows', 'more than', quoteOf({ permit2: permit({ amount: 10n ** 18n + 1n }) })],
    ['sends more than it shows', 'more than', quoteOf({ value: String(10n ** 18n + 1n) })],
    ['also sends native coin', 'also sends', quoteOf({ permit2: permit(), value: '1' })],
    ['requests a permit for the native coin', 'a permit', quoteOf({ permit2: permit(), inputToken: 'ETH' })],
    ['lacks the permit for a token', 'no permit', quoteOf({ inputToken: 'LINK' })],
    [
      'requests a permit for another contract',
      'domain.verifyingContract',
      quoteOf({
        permit2: permit({}, { domain: { name: 'Permit2', chainId: 8453, verifyingContract: LINK } }),
      }),
    ],
    [
      'requests another type, although the values of the permit are correct',
      'primaryType Everything',
      quoteOf({ permit2: permit({}, { primaryType: 'Everything', types: { ...types, Everything: [] } }) }),
    ],
  ]
  for (const [title, words, quote] of lies) {
    it(`rejects a quote that ${title}`, () => {
      expect(() => swapCalls({ charge: CHARGE, quote, taker: TAKER })).to.throw(QuoteMismatch, words)
    })
  }

  it('has the wallet sign a permit that was rebuilt from checked values', () => {
    const quote = quoteOf({ permit2: permit() })
    const sign = swapCalls({ charge: CHARGE, quote, taker: TAKER }).find(({ name }) => name === 'sign')
    const [, text] = (sign?.request().params ?? []) as [unknown, string]
    expect(JSON.parse(text)).to.deep.equal(permit().eip712)
  })
})

describe('payWithSwap', () => {
  it('sends nothing after the quote has expired', async () => {
    const asked: string[] = []
    const wallet = {
      request: ({ method }: { method: string }) => {
        asked.push(method)
        return Promise.resolve('0x2105')
      },
    }
    const quote = quoteOf({ expiresAt: '2026-01-01T00:00:00.000Z' })
    const error = await payWithSwap(wallet, { charge: CHARGE, quote, taker: TAKER }).catch(String)
    expect(error).to.include('the quote expired at 2026-01-01')
    expect(asked).to.deep.equal(['eth_chainId'])
  })
})

type Change = {
  readonly recipient?: string
  readonly value?: string
  readonly inputToken?: 'ETH' | 'LINK'
  readonly permit2?: Schema<'SwapQuote'>['permit2']
  readonly allowanceTarget?: string
  readonly expiresAt?: string
}

function quoteOf(change: Change = {}): Schema<'SwapQuote'> {
  const { recipient = CHARGE.address.slice(2), permit2 = null } = change
  const { value = permit2 === null ? '123' : '0', inputToken = permit2 === null ? 'ETH' : 'LINK' } = change
  return {
    ...{
      inputToken,
      inputNetwork: 'base',
      inputAmount: 1,
      outputToken: 'USDC',
      outputNetwork: 'base',
    },
    ...{ outputAmount: 1, fees: { serviceFee: 0, providerFee: null }, permit2 },
    allowanceTarget: change.allowanceTarget ?? (permit2 === null ? null : PERMIT2),
    transaction: { to: SETTLER, data: `0x1fff991f${recipient.padStart(64, '0')}00`, value, gas: '300000' },
    expiresAt: change.expiresAt ?? '2999-01-01T00:00:00.000Z',
  }
}

type Permit = NonNullable<Schema<'SwapQuote'>['permit2']>

function permit(changes: { spender?: string; token?: string; amount?: bigint } = {}, signed = {}): Permit {
  const { spender = SETTLER, token = LINK.toLowerCase(), amount = 5n } = changes
  const terms = { token: token as Address, amountAtomic: amount, spender: spender as Address }
  const eip712 = presentPermit({ ...terms, nonce: 1n, deadline: 9n }, 8453)
  return {
    type: 'Permit2',
    hash: `0x${'00'.repeat(32)}`,
    eip712: { ...eip712, ...signed } as Permit['eip712'],
  }
}
