import { expect } from 'chai'
import { accentStyle, STYLE } from '../../../api/checkout/style.ts'
import type { PageTransfer } from '../../../shared/db/chain-facts/page-transfers.ts'
import type { Address } from '../../../shared/domain/address.ts'
import { atto } from '../../../shared/domain/money.ts'
import { buildCheckout, buildPageSchema, renderFailurePage } from '../../support/checkout.ts'
import { EXPIRES_AT, randomHex } from '../../support/factories.ts'
import { readQrCode } from '../../support/read-qr-code.ts'

const SEEN = { network: 'base', blocksSeen: 3, blocksRequired: 12 } as const
const dollarsOf = (amount: bigint) => atto(amount * 10n ** 18n)
const PAID = {
  status: 'confirmed',
  confirmedAt: new Date('2026-11-20T12:40:00Z'),
  paidWith: ['USDC/base'],
} as const
const ESCROW = { escrowReleaser: `0x${'5e'.repeat(20)}` as Address }
const TEST = { environment: 'test', acceptedPayments: ['USDC/base'] } as const

const WRONG: PageTransfer = {
  ...{ chargeId: 'ch_one', kind: 'refused', chainId: 137, txHash: `0x${'3f'.repeat(32)}`, token: 'USDC' },
  ...{ network: 'polygon', blocksSeen: 3, blocksRequired: 12, amountAtto: dollarsOf(10n) },
  ...{ kindAtto: dollarsOf(10n), isCredited: false, blockTimestamp: null, blockTimeMs: 2000 },
}
const LATE: PageTransfer = {
  ...{ ...WRONG, kind: 'late', isCredited: true },
  blockTimestamp: EXPIRES_AT.getTime() / 1000 + 170,
}

/** States whose warning is worded differently, or in which nothing can be sent. */
const NOTHING_TO_WARN_OF = ['partly seen', 'sent on another network', 'simulated', 'late']

/** States of every screen except `signed`, each with text that the page must show. */
const SCREENS: readonly (readonly [
  name: string,
  checkout: ReturnType<typeof buildCheckout>,
  says: RegExp,
])[] = [
  [
    'unpaid',
    buildCheckout(),
    /<h1 class="figure"><b>10\.00<\/b> USD<\/h1>[^]*You have <span[^>]*>10 minutes</,
  ],
  [
    'partially paid',
    buildCheckout({ status: 'partially_paid', receivedAtto: dollarsOf(4n) }),
    /<b>6\.00<\/b> USD left to pay<[^]*4\.00 USD of 10\.00 USD has arrived/,
  ],
  [
    'seen',
    buildCheckout({}, { awaited: [SEEN] }),
    /<h1>We can see your payment<\/h1>[^]*<bdi>Base<\/bdi>: 3 of 12 confirmations/,
  ],
  [
    'partly seen',
    buildCheckout({}, { awaited: [SEEN], seen: dollarsOf(4n) }),
    /<b>6\.00<\/b> USD left to pay<[^]*4\.00 of 10\.00 USD seen\.<\/strong> Send only the remaining 6\.00 USD, not 10\.00 USD again[^]*Already sent the rest\? Then wait[^]*From an exchange, that can take 30 minutes or more[^]*<bdi>Base<\/bdi>: 3 of 12 confirmations[^]*Open in MetaMask/,
  ],
  [
    'sent on another network',
    buildCheckout({}, { transfers: [WRONG] }),
    /<h1>Still unpaid: that was a different network<\/h1>[^]*this order accepts only <strong>USDC on Base, USDC on BNB Smart Chain<\/strong>[^]*10\.00 USDC on Polygon[^]*Only the merchant can send it back[^]*The order needs another payment\.[^]*You do not have to wait until it is sent back[^]*>Pay 10\.00 USDC on Base</,
  ],
  [
    'paid',
    buildCheckout({ ...PAID, receivedAtto: dollarsOf(10n) }),
    /<h1>Paid\. Thank you!<\/h1>[^]*The merchant has received your payment/,
  ],
  [
    'overpaid',
    buildCheckout({ ...PAID, receivedAtto: dollarsOf(12n) }),
    /You sent 2\.00 USD more than needed\.<\/strong> It is not returned automatically\. The merchant can refund it[^]*Your order stays paid/,
  ],
  [
    'underpaid',
    buildCheckout({ status: 'underpaid', receivedAtto: dollarsOf(4n) }),
    /<h1>Only part of it was paid<\/h1>[^]*Please do not send the rest[^]*Your money is not lost[^]*Please contact them and give the reference below\. Wait for their reply before you pay again/,
  ],
  [
    'expired',
    buildCheckout({ status: 'expired' }),
    /<h1>This payment has expired<\/h1>[^]*The merchant can accept late money or send it back/,
  ],
  [
    'past the deadline and not decided',
    buildCheckout({}, { now: EXPIRES_AT }),
    /<h1>Time is up: checking for your payment<\/h1>/,
  ],
  [
    'late',
    buildCheckout({ status: 'expired', receivedAtto: dollarsOf(10n) }, { transfers: [LATE] }),
    /<h1>Your payment arrived late<\/h1>[^]*It came 3 minutes after the deadline[^]*The merchant can see it and decides/,
  ],
  [
    'unpaid, with an unavailable pair',
    buildCheckout({}, { unavailablePayments: ['USDC/base'] }),
    /Do not send USDC on Base now<\/strong> \(paused\)\. You can pay with USDC on BNB Smart Chain\. Already sent it\? It still counts/,
  ],
  [
    'unavailable',
    buildCheckout({}, { unavailablePayments: ['USDC/base', 'USDC/bnb'] }),
    /<h1>Payments are paused<\/h1>[^]*It is not lost/,
  ],
  ['unpaid, as a test', buildCheckout(TEST), /<strong>Test payment\.<\/strong> Use test tokens only/],
  [
    'simulated',
    buildCheckout({ ...TEST, isSimulated: true }),
    /Nothing happens on any network\. Do not send anything/,
  ],
  [
    'unpaid, with escrow',
    buildCheckout(ESCROW),
    /held in escrow until it is released to the merchant or refunded/,
  ],
  [
    'paid into escrow',
    buildCheckout({ ...PAID, ...ESCROW, receivedAtto: dollarsOf(10n) }),
    /It is held in escrow until/,
  ],
  [
    'refunded from escrow',
    buildCheckout({ ...PAID, ...ESCROW, escrowRefundedAt: new Date(), receivedAtto: dollarsOf(10n) }),
    /It was refunded from escrow/,
  ],
]

const BASE = 'token=USDC&network=base'
const SCAN = `${BASE}&way=scan`

describe('the page of a charge', () => {
  for (const [name, checkout, says] of SCREENS) {
    it(`shows the state of a charge: ${name}`, () => expect(buildPageSchema(checkout)).to.match(says))
  }

  for (const [name, checkout] of SCREENS.filter(([, { screen }]) => screen !== 'pay')) {
    it(`does not show payment instructions in the state: ${name}`, () => {
      const page = buildPageSchema(checkout, `${BASE}&form=link`)
      expect(page).not.to.match(/class="qr"|ethereum:|To address|Open in /)
      expect(page).not.to.match(/0x[0-9a-fA-F]{40}(?![0-9a-fA-F])/)
    })
  }

  it('warns against sending again on every page that might be shown after a payment', () => {
    const mayBeSent = SCREENS.filter(
      ([name, { screen }]) =>
        !['paid', 'underpaid', 'seen'].includes(screen) && !NOTHING_TO_WARN_OF.includes(name),
    )
    for (const [name, checkout] of mayBeSent)
      expect(buildPageSchema(checkout), name).to.contain('Please do not send it again')
    for (const status of [404, 429, 500, 503])
      expect(renderFailurePage(status)).to.contain('Please do not pay again')
  })

  it('offers to search for a payment unless the page already shows it', () => {
    const isOffered = (checkout: ReturnType<typeof buildCheckout>) =>
      /<summary>(I have [^<]*) </.exec(buildPageSchema(checkout))?.[1] ?? null
    const offers = Object.fromEntries(SCREENS.map(([name, checkout]) => [name, isOffered(checkout)]))
    for (const name of ['unpaid', 'expired', 'unavailable', 'past the deadline and not decided'])
      expect(offers[name], name).to.equal('I have paid, but nothing shows here')
    for (const name of ['partly seen', 'partially paid'])
      expect(offers[name], name).to.equal('I have sent more, but it does not show here')
    for (const name of ['seen', 'sent on another network', 'paid', 'overpaid', 'underpaid', 'late'])
      expect(offers[name], name).to.equal(null)
  })

  it('shows how to pay after a rejected payment only on request, and then keeps that payment in the details', () => {
    const checkout = buildCheckout({}, { transfers: [WRONG] })
    const first = buildPageSchema(checkout, BASE)
    expect(first).to.contain(`href="?${BASE.replace('&', '&amp;')}&amp;instead=yes">Pay 10.00 USDC on Base<`)
    expect(first).not.to.match(/class="qr"|To address/)
    const next = buildPageSchema(checkout, `${SCAN}&instead=yes`)
    expect(next).to.contain('<b>10.00</b> USD</h1>').and.to.contain('<b class="large" data-copy>10.00</b>')
    expect(next).to.match(/Not accepted<\/dt><dd>10\.00 USDC on Polygon/)
  })

  it('warns about every unavailable pair, or only about the chosen pair if it is unavailable', () => {
    const three = { acceptedPayments: ['USDC/base', 'USDC/bnb', 'USDC/polygon'] } as const
    const checkout = buildCheckout(three, { unavailablePayments: ['USDC/base', 'USDC/bnb'] })
    const closed = (query: string) => /Do not send (.*?) now</.exec(buildPageSchema(checkout, query))?.[1]
    expect(closed('')).to.equal('USDC on Base, USDC on BNB Smart Chain')
    expect(closed('token=USDC&network=polygon')).to.equal('USDC on Base, USDC on BNB Smart Chain')
    expect(closed('token=USDC&network=bnb')).to.equal('USDC on BNB Smart Chain')
  })

  it('reports that another token was sent to an accepted network', () => {
    const onBase = { ...WRONG, network: 'base', token: 'USDT' } as const
    expect(buildPageSchema(buildCheckout({}, { transfers: [onBase] }))).to.contain(
      '<h1>Still unpaid: that was a different token</h1>',
    )
  })

  it('chooses the first pair for the payer and offers the other pairs', () => {
    const page = buildPageSchema(buildCheckout())
    expect(page).to.match(/<summary class="method"[^>]*>.*<b>10\.00 USDC on Base<\/b>/)
    expect(page).to.match(/href="\?token=USDC&amp;network=bnb".*<b>USDC on BNB Smart Chain<\/b>/)
    expect(page).not.to.contain('href="?token=USDC&amp;network=base"><svg class="coin"')
  })

  it('shows the amount, the address and its QR code for the chosen pair', () => {
    const checkout = buildCheckout()
    const page = buildPageSchema(checkout, SCAN)
    const address = checkout.howToPay?.address ?? ''
    expect(page).to.contain('<b class="large" data-copy>10.00</b> USDC')
    const [, groups = ''] = /<code class="ends" data-copy>(.*?)<\/code>/.exec(page) ?? []
    expect(groups.replaceAll(/<[^>]*>/g, '')).to.equal(address)
    expect(groups).to.contain(`<span class="group">${address.slice(-4)}</span>`)
    expect(readQrCode(page)).to.equal(address)
  })

  it('explains a withdrawal from an exchange with the amount that must arrive', () => {
    const page = buildPageSchema(buildCheckout(), `${BASE}&way=exchange`)
    expect(page).to.match(/“You will receive” shows 10\.00 USDC<\/strong>[^]*To address/)
    expect(page).not.to.contain('amounts this small')
    const small = buildCheckout({ status: 'partially_paid', receivedAtto: dollarsOf(4n) })
    expect(buildPageSchema(small, `${BASE}&way=exchange`)).to.contain('amounts this small')
  })

  it('offers no amount to copy for a withdrawal from an exchange, which would deduct its fee', () => {
    const copied = (way: string) =>
      buildPageSchema(buildCheckout(), `${BASE}&way=${way}`).split('data-copy>10.00<').length - 1
    expect([copied('scan'), copied('exchange')]).to.deep.equal([1, 0])
  })

  it('does not say that a payment on an unavailable pair is lost, because it still counts', () => {
    const checkout = buildCheckout({}, { unavailablePayments: ['USDC/base'] })
    for (const way of ['wallet', 'scan', 'exchange']) {
      const page = buildPageSchema(checkout, `way=${way}`)
      expect(page, way).to.contain('To pay now, send <strong>USDC on BNB Smart Chain</strong> only.')
      expect(page, way).not.to.contain('does not count')
    }
  })

  it('calls a payment almost done only if every transfer has at least half of its confirmations', () => {
    const titleOf = (blocksOfLast: number) => {
      const part = { ...WRONG, network: 'base', kind: 'seen', amountAtto: dollarsOf(5n) } as const
      const transfers = [
        { ...part, blocksSeen: 6 },
        { ...part, blocksSeen: blocksOfLast, txHash: `0x${'4f'.repeat(32)}` },
      ] as const
      const awaited = [{ ...SEEN, blocksSeen: 6 }]
      return /<title>(.*)<\/title>/.exec(buildPageSchema(buildCheckout({}, { awaited, transfers })))?.[1]
    }
    expect([titleOf(5), titleOf(6)]).to.deep.equal(['We can see your payment', 'Almost done'])
  })

  it('does not say how late a payment came if the time of its block is unknown', () => {
    const transfers = [{ ...LATE, blockTimestamp: null }]
    const late = buildCheckout({ status: 'expired', receivedAtto: dollarsOf(10n) }, { transfers })
    expect(buildPageSchema(late))
      .to.contain('<h1>Your payment arrived late</h1>')
      .and.not.to.contain('It came ')
  })

  it('tells a payer who sent too much that they need not pay again, unless the escrow was refunded', () => {
    const excess = { ...PAID, ...ESCROW, receivedAtto: dollarsOf(12n) } as const
    expect(buildPageSchema(buildCheckout(excess))).to.contain('you do not have to pay again')
    const refunded = buildPageSchema(buildCheckout({ ...excess, escrowRefundedAt: new Date() }))
    expect(refunded).to.contain('2.00 USD more than needed').and.not.to.contain('Your order stays paid')
  })

  it('opens the page in a wallet through a link, unless links are switched off', () => {
    const checkout = buildCheckout()
    const page = buildPageSchema(checkout, BASE)
    expect(page).to.contain(`href="https://link.metamask.io/dapp/pay.example/pay/${checkout.id}"`)
    expect(page).to.contain('>Open in MetaMask<').and.not.to.contain('TronLink')
    expect(readQrCode(page)).to.equal(`https://pay.example/pay/${checkout.id}`)
    const without = buildPageSchema(checkout, BASE, { hasWalletLinks: false })
    expect(without).not.to.match(/metamask|trustwallet|type="radio"/i)
    expect(without).to.contain('>Open in a wallet app<')
  })

  it('opens the page in a wallet with the chosen pair and language', () => {
    const page = buildPageSchema(buildCheckout(), 'token=USDC&network=bnb&lang=de')
    expect(readQrCode(page)).to.match(/\?token=USDC&network=bnb&lang=de$/)
  })

  it('names the coin of the network fee unless the coin is the token itself', () => {
    const feeOf = (columns: Parameters<typeof buildCheckout>[0], query: string) =>
      /Your wallet also needs a little (\w+) for/.exec(buildPageSchema(buildCheckout(columns), query))?.[1]
    expect(feeOf({}, BASE)).to.equal('ETH')
    expect(feeOf({ family: 'tron', acceptedPayments: ['USDT/tron'] }, '')).to.equal('TRX')
    expect(feeOf({ acceptedPayments: ['USDC/arc'] }, '')).to.equal(undefined)
  })

  it('shows, on request, a QR code with address and amount, and a link for this device', () => {
    const checkout = buildCheckout()
    const uri = checkout.howToPay?.payments[0]?.uri ?? ''
    const page = buildPageSchema(checkout, `${BASE}&form=link`)
    expect(readQrCode(page)).to.equal(uri)
    expect(page).to.contain(`href="${uri.replaceAll('&', '&amp;')}"`)
  })

  it('mentions the escrow before it requests a payment', () => {
    const page = buildPageSchema(buildCheckout(ESCROW), SCAN)
    expect(page.indexOf('held in escrow')).to.be.within(1, page.indexOf('To address'))
  })

  it('contains no animation', () => {
    expect(STYLE).not.to.match(/animation|transition|@keyframes|scroll-behavior/)
  })

  it('requires no choice if there is only one way to pay', () => {
    const page = buildPageSchema(buildCheckout({ acceptedPayments: ['USDC/base'] }))
    expect(page).to.contain('<b>10.00 USDC on Base</b>').and.not.to.contain('class="choices"')
  })

  it('reloads itself while the charge can change, unless reloading is switched off', () => {
    for (const [name, checkout] of SCREENS) {
      const isWaiting = ['pay', 'signed', 'seen', 'deciding', 'unavailable'].includes(checkout.screen)
      expect(buildPageSchema(checkout).includes('http-equiv="refresh"'), name).to.equal(isWaiting)
      expect(buildPageSchema(checkout, 'refresh=off'), name).not.to.contain('http-equiv="refresh"')
    }
  })

  it('keeps the choices in every link from the page to itself', () => {
    const page = buildPageSchema(buildCheckout(), `${SCAN}&refresh=off`)
    expect(page).to.contain('href="?token=USDC&amp;network=bnb&amp;way=scan&amp;refresh=off"')
    expect(page).to.contain('href="?token=USDC&amp;network=base&amp;way=scan&amp;form=link&amp;refresh=off"')
    expect(page).to.contain('href="?token=USDC&amp;network=base&amp;way=exchange&amp;refresh=off"')
    expect(page).to.contain('href="?token=USDC&amp;network=base&amp;way=scan">Reload automatically')
  })

  it('links back to the merchant after the payment', () => {
    const page = buildPageSchema(buildCheckout({ ...PAID, redirectUrl: 'https://shop.example/?a=1&b=2' }))
    expect(page).to.contain(
      'href="https://shop.example/?a=1&amp;b=2" target="_top" rel="noreferrer"><span>Return to <bdi>shop.example</bdi>',
    )
  })

  it('links back to the merchant while a payment is being confirmed, and next to a payment that does not count', () => {
    const columns = { redirectUrl: 'https://shop.example/' }
    for (const moment of [{ awaited: [SEEN] }, { transfers: [WRONG] }])
      expect(buildPageSchema(buildCheckout(columns, moment))).to.contain('Return to <bdi>shop.example</bdi>')
  })

  it('shows late money once, with its date', () => {
    const columns = { status: 'expired', receivedAtto: dollarsOf(10n) } as const
    const page = buildPageSchema(buildCheckout(columns, { transfers: [LATE] }))
    expect(page).to.match(/Arrived late<\/dt><dd>10\.00 USD<[^]*Date<\/dt><dd><time/)
    expect(page).not.to.contain('Received</dt>')
  })

  it('shows money that arrived in time, and an equal amount that arrived late', () => {
    const columns = { status: 'underpaid', onTimeAtto: dollarsOf(5n), receivedAtto: dollarsOf(5n) } as const
    const late = { ...LATE, amountAtto: dollarsOf(5n), kindAtto: dollarsOf(5n), isCredited: false }
    const page = buildPageSchema(buildCheckout(columns, { transfers: [late] }))
    expect(page).to.match(/Received<\/dt><dd>5\.00 USD<[^]*Arrived late<\/dt><dd>5\.00 USD</)
    expect(page).not.to.contain('Date</dt>')
  })

  it('lets the payer of an expired charge contact the merchant', () => {
    const brand = { name: 'Tea', accent: null, logoHash: null, support: 'mailto:help@tea.example' }
    const page = buildPageSchema(buildCheckout({ status: 'expired' }, { brand }))
    expect(page).to.match(
      /give the reference below\. <a href="mailto:help@tea\.example"[^>]*>Contact <bdi>Tea/,
    )
  })

  it('escapes the texts of a merchant and of the query', () => {
    const hostile = `"><script>alert(1)</script><img src=x onerror='x'>&`
    const page = buildPageSchema(
      buildCheckout({
        metadata: JSON.stringify({ service: { products: [{ name: hostile, quantity: 1 }] } }),
        redirectUrl: 'https://shop.example/"><script>alert(2)</script>',
      }),
      'token="><script>&network="><script>&form=<script>',
    )
    expect(page).not.to.match(/<script|<img|onerror='x'>&</)
    expect(page).to.contain('&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;')
  })

  it('shows the brand’s name, logo and colour, and exposes the name once to screen readers', () => {
    const brand = { name: 'Tea <&> Co', accent: '#ff8800', logoHash: 'ab'.repeat(32) } as const
    const page = buildPageSchema(buildCheckout({}, { brand }))
    expect(page).to.contain(
      `<img src="assets/logo-${brand.logoHash}" alt=""><span><small>Pay to</small><b><bdi>Tea &lt;&amp;&gt; Co</bdi></b></span>`,
    )
    expect(page).to.contain(`<style>${accentStyle(brand.accent)}</style>`)
    const plain = buildPageSchema(buildCheckout({}, { brand: { name: 'Tea', accent: null, logoHash: null } }))
    expect(plain.match(/<style>/g)).to.have.length(1)
    expect(plain).to.contain('<b><bdi>Tea</bdi></b>').and.not.to.contain('<img')
  })

  it('shows product pictures next to their names without revealing the page’s address to their hosts', () => {
    const products = [{ name: 'Tea', imageUrl: 'https://img.example/t.png?a=1&b=2' }, { name: 'Cup' }]
    const page = buildPageSchema(buildCheckout({ metadata: JSON.stringify({ service: { products } }) }))
    expect(page).to.contain(
      '<li><img src="https://img.example/t.png?a=1&amp;b=2" alt="" width="40" height="40" loading="lazy" decoding="async" referrerpolicy="no-referrer"><span><bdi>Tea</bdi></span></li>',
    )
    expect(page).to.contain('<li><span class="none"></span><span><bdi>Cup</bdi></span></li>')
  })

  it('loads and runs nothing from other hosts', () => {
    for (const [name, checkout] of SCREENS)
      expect(buildPageSchema(checkout, BASE), name).not.to.match(
        /\ssrc=|<script|<link(?! rel="icon" href="data:)|<iframe|\sstyle=|\son\w+=|url\(/,
      )
  })

  it('has a language, one first-level heading and one main element, and labels or hides every icon', () => {
    for (const page of [
      ...SCREENS.map(([, checkout]) => buildPageSchema(checkout, BASE)),
      renderFailurePage(404),
    ]) {
      expect(page).to.match(/^<!doctype html>\n<html lang="en" dir="ltr">/)
      expect(page).to.contain('name="viewport"')
      expect(page.match(/<h1[ >]/g)).to.have.length(1)
      expect(page.match(/<main[ >]/g)).to.have.length(1)
      const named = page.match(/role="img" aria-label="[^"]+"><svg/g) ?? []
      const hidden = page.match(/<svg [^>]*aria-hidden="true"/g) ?? []
      expect(page.match(/<svg/g)).to.have.length(named.length + hidden.length)
    }
  })

  it('has colours with sufficient contrast in both themes', () => {
    const [day = '', night = ''] = STYLE.split('@media (prefers-color-scheme:dark)')
    for (const colours of [day, night.split('}}')[0] ?? '']) {
      const of = (name: string) =>
        new RegExp(`--${name}:(#[0-9a-f]{6})`).exec(colours)?.[1] ?? expect.fail(name)
      for (const [ink, ground] of [
        ...['ink', 'quiet', 'accent', 'good'].flatMap((name) => [
          [name, 'card'] as const,
          [name, 'ground'] as const,
        ]),
        ...([
          ['on-accent', 'accent'],
          ['good', 'good-ground'],
          ['warn', 'warn-ground'],
        ] as const),
      ])
        expect(contrast(of(ink), of(ground)), `${ink} on ${ground}`).to.be.at.least(4.5)
      expect(contrast(of('edge'), of('card')), 'the edge of a control').to.be.at.least(3)
    }
  })

  it('shows long amounts and hashes unabridged', () => {
    const page = buildPageSchema(
      buildCheckout({
        ...PAID,
        txHash: randomHex(32),
        receivedAtto: atto(1_234_567_000_000_000_000_000_001n),
      }),
    )
    expect(page).to.contain('1,234,567.000000000000000001 USD')
  })
})

/**
 * @see WCAG 2.2, "contrast ratio"
 */
function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a)
  return (light + 0.05) / (dark + 0.05)
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
