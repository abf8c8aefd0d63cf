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
  ...{
    network: 'polygon',
    blocksSeen: 3,
    blocksRequired: 12,
    amountAtto: dollarsOf(10n),
    kindAtto: dollarsOf(10n),
    isCredited: false,
    blockTimestamp: null,
    blockTimeMs: 2000,
  },
}
const MAY_BE_SENT_IN_PART = ['seen in part', 'sent on another network']

/** Every screen with a sentence that only it has. */
const SCREENS: readonly (readonly [
  name: string,
  checkout: ReturnType<typeof buildCheckout>,
  says: RegExp,
])[] = [
  ['unpaid', buildCheckout(), /<h1>Pay 10\.00 USD<\/h1>[^]*within <span[^>]*>10 minutes</],
  [
    'partially paid',
    buildCheckout({ status: 'partially_paid', receivedAtto: dollarsOf(4n) }),
    /<h1>6\.00 USD left to pay<\/h1>[^]*4\.00 USD of 10\.00 USD has arrived/,
  ],
  [
    'seen',
    buildCheckout({}, { awaited: [SEEN] }),
    /<h1>We can see your payment<\/h1>[^]*<bdi>Base<\/bdi>: 3 of 12 confirmations/,
  ],
  [
    'seen in part',
    buildCheckout({}, { awaited: [SEEN], seen: dollarsOf(4n) }),
    /<h1>6\.00 USD left to pay<\/h1>[^]*4\.00 USD is on its way\.<\/strong> 6\.00 USD is left to pay[^]*<bdi>Base<\/bdi>: 3 of 12 confirmations[^]*Already sent the rest\?/,
  ],
  [
    'sent on another network',
    buildCheckout({}, { transfers: [WRONG] }),
    /<h1>That was a different network<\/h1>[^]*10\.00 USDC on Polygon arrived\. This payment does not accept it\.<\/strong> It accepts: USDC on Base, USDC on BNB Smart Chain\. Please do not send the same again[^]*The merchant can see the transfer/,
  ],
  [
    'paid',
    buildCheckout({ ...PAID, receivedAtto: dollarsOf(10n) }),
    /<h1>Paid<\/h1>[^]*The payment is complete/,
  ],
  [
    'overpaid',
    buildCheckout({ ...PAID, receivedAtto: dollarsOf(12n) }),
    /2\.00 USD more than asked for has arrived\.<\/strong> It is not refunded automatically: please contact the merchant/,
  ],
  [
    'underpaid',
    buildCheckout({ status: 'underpaid', receivedAtto: dollarsOf(4n) }),
    /<h1>Not paid in full<\/h1>[^]*Do not send the rest[^]*contact the merchant/,
  ],
  [
    'expired',
    buildCheckout({ status: 'expired' }),
    /<h1>This payment is closed<\/h1>[^]*A late payment is recorded and reaches the merchant/,
  ],
  [
    'out of time and not decided',
    buildCheckout({}, { now: EXPIRES_AT }),
    /<h1>The time is up: checking the network<\/h1>/,
  ],
  [
    'unavailable',
    buildCheckout({}, { unavailablePayments: ['USDC/base', 'USDC/bnb'] }),
    /<h1>Payment is not possible at the moment<\/h1>[^]*it is not lost/,
  ],
  ['of a test', buildCheckout(TEST), /<strong>TEST\.<\/strong>[^]*test network only/],
  [
    'simulated',
    buildCheckout({ ...TEST, isSimulated: true }),
    /It is simulated and not on any network\.[^]*do not send anything/,
  ],
  [
    'of an escrow',
    buildCheckout(ESCROW),
    /held in escrow: what you send is kept until it is released to the merchant or refunded/,
  ],
  [
    'paid into escrow',
    buildCheckout({ ...PAID, ...ESCROW, receivedAtto: dollarsOf(10n) }),
    /It is held in escrow until/,
  ],
  [
    'refunded from escrow',
    buildCheckout({ ...PAID, ...ESCROW, escrowRefundedAt: new Date(), receivedAtto: dollarsOf(10n) }),
    /has been refunded/,
  ],
]

const BASE = 'token=USDC&network=base'

describe('the page of a charge', () => {
  for (const [name, checkout, says] of SCREENS) {
    it(`shows the state of a charge that is ${name}`, () => expect(buildPageSchema(checkout)).to.match(says))
  }

  for (const [name, checkout] of SCREENS.filter(([, { screen }]) => screen !== 'pay')) {
    it(`shows no payment instructions when the charge is ${name}`, () => {
      const page = buildPageSchema(checkout, `${BASE}&form=link`)
      expect(page).not.to.match(/<svg|ethereum:|Amount to send|Open in a wallet/)
      expect(page).not.to.match(/0x[0-9a-fA-F]{40}(?![0-9a-fA-F])/)
    })
  }

  it('warns against sending again on every page that might be shown after a payment', () => {
    const mayBeSent = SCREENS.filter(
      ([name, { screen }]) =>
        !['paid', 'underpaid', 'seen'].includes(screen) && !MAY_BE_SENT_IN_PART.includes(name),
    )
    for (const [name, checkout] of mayBeSent)
      expect(buildPageSchema(checkout), name).to.contain('do not send it again')
    for (const status of [404, 429, 500, 503])
      expect(renderFailurePage(status)).to.contain('do not send it again')
  })

  it('requests the accepted payment on demand after one that does not count, which stays in the details', () => {
    const checkout = buildCheckout({}, { transfers: [WRONG] })
    const first = buildPageSchema(checkout, BASE)
    expect(first).to.contain(`href="?${BASE.replace('&', '&amp;')}&amp;instead=yes">Pay 10.00 USD instead<`)
    expect(first).not.to.match(/<svg|Amount to send/)
    const next = buildPageSchema(checkout, `${BASE}&instead=yes`)
    expect(next)
      .to.contain('<h1>Pay 10.00 USD</h1>')
      .and.to.contain('<code class="large" data-copy>10</code>')
    expect(next).to.match(/Not accepted<\/dt><dd>10\.00 USDC on Polygon/)
  })

  it('reports that another token was sent to an accepted network', () => {
    const onBase = { ...WRONG, network: 'base', token: 'USDT' } as const
    expect(buildPageSchema(buildCheckout({}, { transfers: [onBase] }))).to.contain(
      '<h1>That was a different token</h1>',
    )
  })

  it('offers each token and network and requests no payment before one is chosen', () => {
    const page = buildPageSchema(buildCheckout())
    expect(page).to.contain('href="?token=USDC&amp;network=base">USDC on Base<')
    expect(page).to.contain('href="?token=USDC&amp;network=bnb">USDC on BNB Smart Chain<')
    expect(page).not.to.contain('Amount to send')
  })

  it('shows the amount, the address and its code for the chosen pair', () => {
    const checkout = buildCheckout()
    const page = buildPageSchema(checkout, BASE)
    const address = checkout.howToPay?.address ?? ''
    expect(page).to.contain('<code class="large" data-copy>10</code> USDC')
    expect(page).to.contain(`<code data-copy>${address}</code>`)
    expect(readQrCode(page)).to.equal(address)
  })

  it('shows the chosen pair first and the other choices below it', () => {
    const page = buildPageSchema(buildCheckout(), BASE)
    expect(page).to.match(
      /<h2>Send USDC on Base<\/h2>\s*<details id="others">\s*<summary[^>]*>Choose another token or network</,
    )
    expect(page).to.contain('href="?token=USDC&amp;network=bnb">USDC on BNB Smart Chain<')
    expect(page).not.to.contain('>USDC on Base</a>')
  })

  it('names the coin of the network fee unless it is the token itself or the chain is unknown', () => {
    const feeOf = (columns: Parameters<typeof buildCheckout>[0], query: string) =>
      /Your wallet also needs some (\w+), for/.exec(buildPageSchema(buildCheckout(columns), query))?.[1]
    expect(feeOf({}, BASE)).to.equal('ETH')
    expect(feeOf({ family: 'tron', acceptedPayments: ['USDT/tron'] }, '')).to.equal('TRX')
    expect(feeOf({ acceptedPayments: ['USDC/arc'] }, '')).to.equal(undefined)
  })

  it('shows a code of the whole payment on request, with a link for this device', () => {
    const checkout = buildCheckout()
    const uri = checkout.howToPay?.payments[0]?.uri ?? ''
    const page = buildPageSchema(checkout, `${BASE}&form=link`)
    expect(readQrCode(page)).to.equal(uri)
    expect(page).to.contain(`href="${uri.replaceAll('&', '&amp;')}"`)
  })

  it('mentions the escrow before it requests a payment', () => {
    const page = buildPageSchema(buildCheckout(ESCROW), BASE)
    expect(page.indexOf('held in escrow')).to.be.within(1, page.indexOf('Amount to send'))
  })

  it('contains no animation', () => {
    expect(STYLE).not.to.match(/animation|transition|@keyframes|scroll-behavior/)
  })

  it('requires no choice if there is only one way to pay', () => {
    const page = buildPageSchema(buildCheckout({ acceptedPayments: ['USDC/base'] }))
    expect(page).to.contain('Amount to send').and.not.to.contain('class="choices"')
  })

  it('reloads itself while the charge can change, until reloading is switched off', () => {
    for (const [name, checkout] of SCREENS) {
      const isWaiting = ['pay', 'seen', 'deciding', 'unavailable'].includes(checkout.screen)
      expect(buildPageSchema(checkout).includes('http-equiv="refresh"'), name).to.equal(isWaiting)
      expect(buildPageSchema(checkout, 'refresh=off'), name).not.to.contain('http-equiv="refresh"')
    }
  })

  it('keeps the choices in every link to itself', () => {
    const page = buildPageSchema(buildCheckout(), `${BASE}&refresh=off`)
    expect(page).to.contain('href="?token=USDC&amp;network=bnb&amp;refresh=off"')
    expect(page).to.contain('href="?token=USDC&amp;network=base&amp;form=link&amp;refresh=off"')
    expect(page).to.contain('href="?token=USDC&amp;network=base">Reload by itself')
  })

  it('links back to the merchant', () => {
    const page = buildPageSchema(buildCheckout({ ...PAID, redirectUrl: 'https://shop.example/?a=1&b=2' }))
    expect(page).to.contain(
      'href="https://shop.example/?a=1&amp;b=2" target="_top" rel="noreferrer">Return to the merchant',
    )
  })

  it('escapes every text of a merchant', () => {
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
      `<p class="brand"><img src="assets/logo-${brand.logoHash}" alt=""><bdi>Tea &lt;&amp;&gt; Co</bdi></p>`,
    )
    expect(page).to.contain(`<style>${accentStyle(brand.accent)}</style>`)
    const plain = buildPageSchema(buildCheckout({}, { brand: { name: 'Tea', accent: null, logoHash: null } }))
    expect(plain.match(/<style>/g)).to.have.length(1)
    expect(plain).to.contain('<p class="brand"><bdi>Tea</bdi></p>').and.not.to.contain('<img')
  })

  it('shows product pictures next to their names without revealing the page’s address to their hosts', () => {
    const products = [{ name: 'Tea', imageUrl: 'https://img.example/t.png?a=1&b=2' }, { name: 'Cup' }]
    const page = buildPageSchema(buildCheckout({ metadata: JSON.stringify({ service: { products } }) }))
    expect(page).to.contain(
      '<li><img src="https://img.example/t.png?a=1&amp;b=2" alt="" width="48" height="48" loading="lazy" decoding="async" referrerpolicy="no-referrer"><span><bdi>Tea</bdi></span></li>',
    )
    expect(page).to.contain('<li><span class="none"></span><span><bdi>Cup</bdi></span></li>')
  })

  it('loads and runs nothing from elsewhere', () => {
    for (const [name, checkout] of SCREENS)
      expect(buildPageSchema(checkout, BASE), name).not.to.match(
        /\ssrc=|<script|<link|<iframe|\sstyle=|\son\w+=|url\(/,
      )
  })

  it('is a document with a language, one first-level heading and one main element', () => {
    for (const page of [
      ...SCREENS.map(([, checkout]) => buildPageSchema(checkout, BASE)),
      renderFailurePage(404),
    ]) {
      expect(page).to.match(/^<!doctype html>\n<html lang="en" dir="ltr">/)
      expect(page).to.contain('name="viewport"')
      expect(page.match(/<h1>/g)).to.have.length(1)
      expect(page.match(/<main[ >]/g)).to.have.length(1)
      expect(page.match(/<svg/g)?.length ?? 0).to.equal(page.match(/role="img" aria-label=/g)?.length ?? 0)
    }
  })

  it('has colours with sufficient contrast in both themes', () => {
    const [day = '', night = ''] = STYLE.split('@media (prefers-color-scheme: dark)')
    for (const colours of [day, night.split('} }')[0] ?? '']) {
      const of = (name: string) =>
        new RegExp(`--${name}: (#[0-9a-f]{6})`).exec(colours)?.[1] ?? expect.fail(name)
      for (const [ink, ground] of [
        ...['ink', 'quiet', 'accent', 'good'].flatMap((name) => [
          [name, 'card'] as const,
          [name, 'ground'] as const,
        ]),
        ...([
          ['on-accent', 'accent'],
          ['on-test', 'test'],
        ] as const),
      ])
        expect(contrast(of(ink), of(ground)), `${ink} on ${ground}`).to.be.at.least(4.5)
      expect(contrast(of('line'), of('card')), 'line on card').to.be.at.least(3)
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
