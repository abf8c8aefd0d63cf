import { expect } from 'chai'
import { decodeFunctionData, erc20Abi, type Hex } from 'viem'
import { imageOrigins } from '../../../api/checkout/products.ts'
import type { Checkout } from '../../../api/checkout/project.ts'
import type { PageTransfer } from '../../../shared/db/chain-facts/page-transfers.ts'
import type { Address } from '../../../shared/domain/address.ts'
import { atto, micro } from '../../../shared/domain/money.ts'

import { buildCheckout } from '../../support/checkout.ts'
import { EXPIRES_AT, MERCHANT, randomHex, TREASURY } from '../../support/factories.ts'

const SEEN = { network: 'base', blocksSeen: 3, blocksRequired: 12 } as const

const ON_ITS_WAY: PageTransfer = {
  ...{ chargeId: 'ch_one', kind: 'seen', chainId: 8453, txHash: `0x${'3f'.repeat(32)}`, token: 'USDC' },
  ...{
    ...SEEN,
    amountAtto: atto(4n * 10n ** 18n),
    kindAtto: atto(4n * 10n ** 18n),
    isCredited: false,
    blockTimestamp: Date.parse('2026-11-20T12:49:00Z') / 1000,
    blockTimeMs: 2000,
  },
}

/** Values for the columns that the merchant or its key sets, and that are empty by default. */
const FULL = {
  apiKeyId: 'key_secret',
  externalRef: 'secret reference',
  source: 'secret source',
  escrowReleaser: `0x${'5e'.repeat(20)}` as Address,
  splitRecipients: [
    { address: `0x${'d1'.repeat(20)}` as Address, percentText: '12.5', label: 'secret label' },
  ],
  metadata: JSON.stringify({
    customer: 'secret customer',
    service: { products: [{ name: 'Tea', quantity: 2, imageUrl: 'https://img.example/tea.png' }] },
  }),
  redirectUrl: 'https://shop.example/thanks',
}
const TEA = { name: 'Tea', quantity: 2, imageUrl: 'https://img.example/tea.png' }
const BRAND = { name: 'Green Tea', accent: '#1f7a4d', logoHash: 'ab'.repeat(32) } as const

describe('the payer’s view of a charge', () => {
  it('contains exactly these fields', () => {
    const columns = { ...FULL, receivedAtto: atto(4n * 10n ** 18n), status: 'partially_paid' } as const
    const checkout = buildCheckout(columns, { brand: BRAND })
    expect(pathsOf(checkout)).to.have.members([
      ...[
        'id',
        'revision',
        'screen',
        'status',
        'environment',
        'isSimulated',
        'family',
        'isEscrow',
        'escrowEnd',
        'currency',
        'amount',
      ],
      ...[
        'amountReceived',
        'remaining',
        'seen',
        'remainingAfterSeen',
        'amountOnTime',
        'amountLate',
        'excess',
        'isOverpaid',
        'paymentUnavailable',
        'unavailablePayments',
        'createdAt',
        'expiresAt',
      ],
      ...[
        'confirmedAt',
        'paidWith',
        'txHash',
        'txUrl',
        'progress',
        'seenTransfers',
        'lateTransfers',
        'refusedTransfers',
        'wrongPayment',
        'redirectUrl',
        'payee',
        'support',
      ],
      ...[
        'howToPay.address',
        'howToPay.payments.token',
        'howToPay.payments.network',
        'howToPay.payments.chainId',
      ],
      ...['howToPay.payments.tokenAddress', 'howToPay.payments.decimals', 'howToPay.payments.amount'],
      ...['howToPay.payments.amountAtomic', 'howToPay.payments.uri', 'networks'],
      ...['howToPay.payments.transfer.to', 'howToPay.payments.transfer.data'],
      ...['howToPay.payments.chain.name', 'howToPay.payments.chain.explorer'],
      ...['howToPay.payments.chain.rpcUrls', 'howToPay.payments.chain.nativeCurrency.symbol'],
      'howToPay.payments.chain.nativeCurrency.decimals',
      ...['swapAlternatives.token', 'swapAlternatives.network', 'payBySignature'],
      ...['products.name', 'products.quantity'],
      ...['products.imageUrl', 'brand.name', 'brand.accent', 'brand.logo'],
    ])
  })

  it('does not contain internal data of the merchant or the service', () => {
    const text = JSON.stringify(buildCheckout(FULL)).toLowerCase()
    for (const secret of ['secret', 'key_', 'org_', MERCHANT, TREASURY, '5e5e5e', 'd1d1d1', '12.5'])
      expect(text, secret).not.to.contain(secret)
    // An id or a hash might contain "fee" by chance.
    expect(text.replaceAll(/(ch_|0x)[0-9a-z]+/g, '')).not.to.contain('fee')
  })

  it('contains the products by name and quantity', () => {
    expect(buildCheckout(FULL).products).to.deep.equal([TEA])
    expect(buildCheckout({ metadata: '{"service":{"products":"no list"}}' }).products).to.deep.equal([])
  })

  it('contains product pictures over https only, or no pictures if they are disabled', () => {
    const pictureOf = (imageUrl: unknown, hasImages = true) =>
      buildCheckout({ metadata: metadataOf([imageUrl]) }, { hasImages }).products[0]?.imageUrl
    expect(pictureOf(TEA.imageUrl)).to.equal(TEA.imageUrl)
    expect(pictureOf(TEA.imageUrl, false)).to.equal(null)
    for (const refused of ['http://img.example/tea.png', 'data:image/png;base64,AA', 'no URL', 7, null])
      expect(pictureOf(refused), String(refused)).to.equal(null)
    expect(pictureOf('https://name:word@img.example/tea.png')).to.equal(null)
  })

  it('does not contain a picture from a host that would change the page’s policy', () => {
    for (const host of ['a;frame-ancestors', '*', 'a,b', "'self'"]) {
      const url = `https://${host}/1.png`
      expect(new URL(url).host, 'browsers accept the host').to.equal(host)
      const { products } = buildCheckout({ metadata: metadataOf([url]) })
      expect(products[0]?.imageUrl, url).to.equal(null)
    }
    expect(
      buildCheckout({ metadata: metadataOf(['https://a.example:8443/1.png']) }).products[0]?.imageUrl,
    ).to.be.a('string')
  })

  it('contains pictures from as many origins as fit in 1000 characters, and none from other origins', () => {
    const urls = Array.from({ length: 20 }, (_, index) => `https://${'a'.repeat(60)}.${index}.example/1.png`)
    const { products } = buildCheckout({ metadata: metadataOf(urls) })
    expect(products).to.have.length(20)
    expect(imageOrigins(products).join(' ')).to.have.length.within(900, 1000)
    const shown = products.filter(({ imageUrl }) => imageUrl !== null)
    expect(shown).to.have.length(imageOrigins(products).length)
  })

  it('contains the brand and the path of its logo', () => {
    expect(buildCheckout(FULL).brand).to.equal(null)
    const { logoHash: _, ...told } = BRAND
    const logo = `assets/logo-${BRAND.logoHash}`
    expect(buildCheckout(FULL, { brand: BRAND }).brand).to.deep.equal({ ...told, logo })
    expect(buildCheckout(FULL, { brand: { ...BRAND, logoHash: null } }).brand?.logo).to.equal(null)
  })

  it('requests the remaining amount on each pair, rounded up to the token’s smallest unit', () => {
    const { howToPay } = buildCheckout({
      amountMicro: micro(10_000_000n),
      receivedAtto: atto(3_999_999_000_000_000_001n),
      status: 'partially_paid',
    })
    const asked = howToPay?.payments.map(({ network, amount, amountAtomic }) => [
      network,
      amount,
      amountAtomic,
    ])
    expect(asked).to.deep.equal([
      ['base', '6.000001', '6000001'],
      ['bnb', '6.000000999999999999', '6000000999999999999'],
    ])
    expect(howToPay?.payments[0]?.uri).to.match(
      /^ethereum:0x.*@8453\/transfer\?address=0x.*&uint256=6000001$/,
    )
  })

  it('requests only the remaining amount after an unconfirmed partial payment', () => {
    const checkout = buildCheckout(
      {},
      { awaited: [SEEN], seen: atto(4n * 10n ** 18n), transfers: [ON_ITS_WAY] },
    )
    expect(checkout).to.include({ screen: 'pay', seen: '4', remainingAfterSeen: '6' })
    expect(checkout.howToPay?.payments.map(({ amount }) => amount)).to.deep.equal(['6', '6'])
    expect(checkout.swapAlternatives, 'swaps for the rest').to.not.deep.equal([])
  })

  it('contains each pending transfer without its sender, and links it only if the chain is the network’s own', () => {
    const { token, network, txHash, blocksSeen, blocksRequired } = ON_ITS_WAY
    const told = { token, network, txHash, blocksSeen, blocksRequired, minedAt: '2026-11-20T12:49:00.000Z' }
    const txUrl = `https://basescan.org/tx/${ON_ITS_WAY.txHash}`
    const [shown] = buildCheckout({}, { transfers: [ON_ITS_WAY] }).seenTransfers
    expect(shown).to.deep.equal({ ...told, amount: '4', txUrl, secondsLeft: 18 })
    const [local] = buildCheckout({}, { transfers: [{ ...ON_ITS_WAY, chainId: 31337 }] }).seenTransfers
    expect(local?.txUrl).to.equal(null)
  })

  it('shows a rejected transfer of at least half of the amount due as a wrong payment of a payable charge', () => {
    const refused = (amount: bigint, kind: PageTransfer['kind'] = 'refused') => ({
      transfers: [{ ...ON_ITS_WAY, kind, network: 'bnb', amountAtto: atto(amount) } as const],
    })
    const half = 5n * 10n ** 18n
    expect(buildCheckout({}, refused(half)).wrongPayment).to.include({ network: 'bnb', amount: '5' })
    expect(buildCheckout({}, refused(half - 1n)).wrongPayment).to.equal(null)
    expect(buildCheckout({}, refused(half - 1n)).refusedTransfers).to.have.length(1)
    expect(buildCheckout({}, refused(half, 'seen')).wrongPayment).to.equal(null)
    expect(buildCheckout({ status: 'expired' }, refused(half)).wrongPayment).to.equal(null)
  })

  it('requests no payment on an unavailable pair, and the whole amount on the other pairs', () => {
    const checkout = buildCheckout({}, { unavailablePayments: ['USDC/base'] })
    expect(checkout).to.deep.include({ screen: 'pay', paymentUnavailable: false })
    expect(checkout.unavailablePayments).to.deep.equal([{ token: 'USDC', network: 'base' }])
    expect(checkout.howToPay?.payments.map(({ network, amount }) => [network, amount])).to.deep.equal([
      ['bnb', '10'],
    ])
    expect(checkout.swapAlternatives, 'swaps to the unavailable pair').to.deep.equal([])
  })

  it('reports an expired charge as paid late only if at least half of its amount arrived late', () => {
    const expired = (amountCents: bigint) => buildCheckout({ status: 'expired' }, late(0n, amountCents))
    expect(expired(0n)).to.include({ screen: 'expired', amountLate: null })
    const checkout = expired(500n)
    expect(checkout).to.include({ screen: 'late', amountLate: '5' })
    expect(checkout.lateTransfers[0]).to.include({ amount: '5', minedAt: '2026-11-20T13:01:00.000Z' })
    expect(expired(499n)).to.include({ screen: 'expired', amountLate: '4.99' })
    expect(expired(1n)).to.include({ screen: 'expired', amountLate: '0.01' })
    const tiny = { status: 'expired', amountMicro: micro(10_000n) } as const
    expect(buildCheckout(tiny, late(0n, 1n)).screen, 'a charge of one cent').to.equal('late')
  })

  it('reports an underpaid charge as paid late only if the late payment would have completed it', () => {
    const underpaid = (lateDollars: bigint) =>
      buildCheckout(
        {
          ...{ status: 'underpaid', onTimeAtto: atto(4n * 10n ** 18n) },
          receivedAtto: atto((4n + lateDollars) * 10n ** 18n),
        },
        late(lateDollars),
      )
    expect(underpaid(6n)).to.include({ screen: 'late', amountOnTime: '4', amountLate: '6' })
    expect(underpaid(5n)).to.include({ screen: 'underpaid', amountOnTime: '4', amountLate: '5' })
    expect(underpaid(5n).lateTransfers).to.have.length(1)
  })

  it('does not show the screen `seen` for a payment after the deadline', () => {
    const { transfers } = late(10n)
    const uncredited = transfers.map((one) => ({ ...one, isCredited: false }))
    const seen = { seen: atto(10n ** 19n), now: new Date(EXPIRES_AT.getTime() + 60_000) }
    const checkout = buildCheckout({}, { ...seen, transfers: uncredited })
    expect(checkout).to.include({ screen: 'deciding' })
    expect([checkout.seenTransfers.length, checkout.lateTransfers.length]).to.deep.equal([1, 1])
    expect(buildCheckout({}, seen).screen, 'in time').to.equal('seen')
  })

  it('shows a payment by signature until the whole amount is seen, the deadline has passed or no pair is available', () => {
    const screenOf = (moment: Parameters<typeof buildCheckout>[1]) =>
      buildCheckout({}, { isSignatureInFlight: true, ...moment }).screen
    expect(screenOf({})).to.equal('signed')
    expect(screenOf({ awaited: [SEEN] })).to.equal('seen')
    expect(screenOf({ now: EXPIRES_AT })).to.equal('deciding')
    expect(screenOf({ unavailablePayments: ['USDC/base', 'USDC/bnb'] })).to.equal('unavailable')
  })

  it('shows an excess only from one cent, although a smaller excess also overpays the charge', () => {
    const paid = (extra: bigint) =>
      buildCheckout({ status: 'confirmed', receivedAtto: atto(10n ** 19n + extra) })
    expect(paid(10n ** 16n)).to.include({ isOverpaid: true, excess: '0.01' })
    expect(paid(10n ** 16n - 1n)).to.include({ isOverpaid: true, excess: null })
    expect(paid(0n)).to.include({ isOverpaid: false, excess: null })
  })

  it('names the payee by the brand, otherwise by the host of the return link, otherwise not at all', () => {
    expect(buildCheckout(FULL, { brand: BRAND }).payee).to.equal('Green Tea')
    expect(buildCheckout(FULL).payee).to.equal('shop.example')
    expect(buildCheckout().payee).to.equal(null)
    expect(buildCheckout(FULL, { brand: BRAND }).support).to.equal(null)
    const support = 'mailto:help@shop.example'
    expect(buildCheckout(FULL, { brand: { ...BRAND, support } }).support).to.equal(support)
  })

  it('gives wallets exactly the shown amount and address', () => {
    const { howToPay } = buildCheckout({ receivedAtto: atto(4n * 10n ** 18n), status: 'partially_paid' })
    for (const { transfer, tokenAddress, amountAtomic, uri } of howToPay?.payments ?? []) {
      const { args } = decodeFunctionData({ abi: erc20Abi, data: (transfer?.data ?? '0x') as Hex })
      expect([transfer?.to, ...args]).to.deep.equal([tokenAddress, howToPay?.address, BigInt(amountAtomic)])
      expect(uri).to.contain(`ethereum:${tokenAddress}@`).and.contain(`address=${howToPay?.address}`)
    }
  })

  const asksNothing: readonly (readonly [title: string, checkout: Checkout])[] = [
    ['the whole amount was seen', buildCheckout({}, { awaited: [SEEN] })],
    [
      'the rest was seen after a partial payment',
      buildCheckout({ status: 'partially_paid', receivedAtto: atto(1n) }, { awaited: [SEEN] }),
    ],
    [
      'a partial payment was seen and the deadline has passed',
      buildCheckout({}, { seen: atto(1n), now: EXPIRES_AT }),
    ],
    ['the deadline has passed', buildCheckout({}, { now: EXPIRES_AT })],
    ['the full amount arrived but might be late', buildCheckout({ receivedAtto: atto(10n ** 19n) })],
    ['a payment by signature is in flight', buildCheckout({}, { isSignatureInFlight: true })],
    [
      'a payment by signature for the rest is in flight',
      buildCheckout({}, { isSignatureInFlight: true, seen: atto(1n) }),
    ],
    ['no pair is available', buildCheckout({}, { unavailablePayments: ['USDC/base', 'USDC/bnb'] })],
    ['the charge is confirmed', buildCheckout({ status: 'confirmed', receivedAtto: atto(10n ** 19n) })],
    ['the charge is underpaid', buildCheckout({ status: 'underpaid', receivedAtto: atto(10n ** 18n) })],
    ['the charge is expired', buildCheckout({ status: 'expired' })],
    ['the charge expired and money arrived late', buildCheckout({ status: 'expired' }, late(10n))],
  ]
  for (const [title, checkout] of asksNothing) {
    it(`contains neither an address nor an amount to send when ${title}`, () => {
      expect(checkout).to.deep.include({ howToPay: null, swapAlternatives: [], payBySignature: [] })
    })
  }

  it('omits a return link that is not a web URL', () => {
    expect(buildCheckout({ redirectUrl: 'javascript:alert(1)' }).redirectUrl).to.equal(null)
    expect(buildCheckout(FULL).redirectUrl).to.equal('https://shop.example/thanks')
  })

  it('links the transaction only if its network is certain and the payment is not simulated', () => {
    const txHash = randomHex(32)
    expect(buildCheckout({ txHash }).txUrl, 'two networks').to.equal(null)
    expect(buildCheckout({ txHash, paidWith: ['USDC/bnb'] }).txUrl).to.equal(
      `https://bscscan.com/tx/${txHash}`,
    )
    expect(buildCheckout({ txHash, paidWith: ['USDC/bnb'], isSimulated: true }).txUrl).to.equal(null)
    expect(buildCheckout({ txHash }, { awaited: [SEEN] }).txUrl).to.equal(`https://basescan.org/tx/${txHash}`)
  })
})

/** Returns a credited late transfer of this amount; none for zero. */
function late(dollars: bigint, cents = 0n): { readonly transfers: readonly PageTransfer[] } {
  const amountAtto = atto(dollars * 10n ** 18n + cents * 10n ** 16n)
  const blockTimestamp = EXPIRES_AT.getTime() / 1000 + 60
  const transfer = { ...ON_ITS_WAY, kind: 'late', amountAtto, kindAtto: amountAtto, blockTimestamp } as const
  return { transfers: amountAtto === 0n ? [] : [{ ...transfer, isCredited: true }] }
}

function metadataOf(imageUrls: readonly unknown[]): string {
  return JSON.stringify({ service: { products: imageUrls.map((imageUrl) => ({ name: 'Tea', imageUrl })) } })
}

/** Returns the paths of all fields. The items of a list share their paths. */
function pathsOf(value: unknown, path = ''): readonly string[] {
  if (Array.isArray(value) && value.length > 0)
    return [...new Set(value.flatMap((one) => pathsOf(one, path)))]
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [path]
  return Object.entries(value).flatMap(([name, member]) =>
    pathsOf(member, path === '' ? name : `${path}.${name}`),
  )
}
