import type { Checkout } from '../../api/checkout/project.ts'
import type { PageAt } from '../../api/checkout/render-checkout.ts'
import type { PageTransfer } from '../../shared/db/chain-facts/page-transfers.ts'
import type { Address } from '../../shared/domain/address.ts'
import { atto } from '../../shared/domain/money.ts'
import { buildCheckout, buildPageSchema, renderFailurePage } from './checkout.ts'
import { EXPIRES_AT } from './factories.ts'

/** A screen that a payer can see. */
export type ShownScreen = {
  /** State of the charge or kind of error. Part of test titles. */
  readonly name: string
  /** `null` for an error page. */
  readonly checkout: Checkout | null
  /** Renders the screen's page, with the payer's choices in the query. */
  readonly page: (query?: string, change?: Partial<PageAt>) => string
}

const SEEN = { network: 'base', blocksSeen: 3, blocksRequired: 12 } as const
const dollarsOf = (amount: bigint) => atto(amount * 10n ** 18n)
const TX_HASH = `0x${'3f9a1c77'.repeat(8)}` as const
const PAID = {
  status: 'confirmed',
  confirmedAt: new Date('2026-11-20T12:40:00Z'),
  paidWith: ['USDC/base'],
  txHash: TX_HASH,
  redirectUrl: 'https://shop.example/thanks',
} as const
const ESCROW = { escrowReleaser: `0x${'5e'.repeat(20)}` as Address }
const TEST = { environment: 'test', acceptedPayments: ['USDC/base'] } as const
const PRODUCTS = {
  metadata: JSON.stringify({
    service: {
      products: [
        { name: 'Green tea, 250 g', quantity: 2 },
        { name: 'A cup with a long name that describes everything there is to know about it' },
      ],
    },
  }),
}

/** A brand whose accent colour is not readable on white. */
const BRAND = {
  brand: { name: 'Café Grün & Söhne', accent: '#ffb300', logoHash: 'ab'.repeat(32) },
} as const
const PICTURED = {
  metadata: JSON.stringify({
    service: {
      products: [
        { name: 'Green tea, 250 g', quantity: 2, imageUrl: 'https://img.example/tea.png' },
        { name: 'A cup', imageUrl: 'https://img.example/cup.png' },
        { name: 'Wrapped as a present' },
      ],
    },
  }),
}

const WRONG: PageTransfer = {
  ...{
    chargeId: 'ch_one',
    kind: 'refused',
    chainId: 137,
    txHash: TX_HASH,
    token: 'USDC',
    network: 'polygon',
  },
  ...{
    blocksSeen: 3,
    blocksRequired: 12,
    amountAtto: dollarsOf(10n),
    kindAtto: dollarsOf(10n),
    isCredited: false,
    blockTimestamp: null,
    blockTimeMs: 2000,
  },
}

const LATE: PageTransfer = {
  ...{ ...WRONG, kind: 'late', network: 'base', chainId: 8453, isCredited: true },
  blockTimestamp: EXPIRES_AT.getTime() / 1000 + 170,
}

const SUPPORTED = { ...BRAND.brand, support: 'mailto:help@tea.example' }

export const SCREENS: readonly ShownScreen[] = [
  shown('unpaid, with a brand', buildCheckout(PICTURED, BRAND)),
  shown('unpaid', buildCheckout(PRODUCTS)),
  shown('unpaid, with one way to pay', buildCheckout({ ...PRODUCTS, acceptedPayments: ['USDC/base'] })),
  shown('unpaid, on TRON', buildCheckout({ family: 'tron', acceptedPayments: ['USDT/tron'] })),
  shown('partially paid', buildCheckout({ status: 'partially_paid', receivedAtto: dollarsOf(4n) })),
  shown('paid, with a brand', buildCheckout({ ...PAID, ...PICTURED, receivedAtto: dollarsOf(10n) }, BRAND)),
  shown('seen', buildCheckout({}, { awaited: [SEEN] })),
  shown('partly seen', buildCheckout({}, { awaited: [SEEN], seen: dollarsOf(4n) })),
  shown('sent on another network', buildCheckout({}, { transfers: [WRONG] })),
  shown('paid', buildCheckout({ ...PAID, ...PRODUCTS, receivedAtto: dollarsOf(10n) })),
  shown('overpaid', buildCheckout({ ...PAID, receivedAtto: dollarsOf(12n) })),
  shown('underpaid', buildCheckout({ status: 'underpaid', receivedAtto: dollarsOf(4n) })),
  shown('expired', buildCheckout({ status: 'expired' })),
  shown(
    'late',
    buildCheckout(
      { status: 'expired', receivedAtto: dollarsOf(10n) },
      { transfers: [LATE], brand: SUPPORTED },
    ),
  ),
  shown('unpaid, with a paused pair', buildCheckout(PRODUCTS, { unavailablePayments: ['USDC/base'] })),
  shown(
    'overpaid, with a support contact',
    buildCheckout({ ...PAID, receivedAtto: dollarsOf(12n) }, { brand: SUPPORTED }),
  ),
  shown(
    'almost confirmed',
    buildCheckout(
      {},
      {
        awaited: [{ ...SEEN, blocksSeen: 9 }],
        transfers: [{ ...WRONG, kind: 'seen', network: 'base', chainId: 8453, blocksSeen: 9 }],
      },
    ),
  ),
  shown('signed and on its way', buildCheckout(PRODUCTS, { isSignatureInFlight: true })),
  shown('past the deadline and not decided', buildCheckout({}, { now: EXPIRES_AT })),
  shown('unavailable', buildCheckout({}, { unavailablePayments: ['USDC/base', 'USDC/bnb'] })),
  shown('unpaid, test charge', buildCheckout(TEST)),
  shown('simulated', buildCheckout({ ...TEST, isSimulated: true })),
  shown('unpaid, with escrow', buildCheckout(ESCROW)),
  shown('paid into escrow', buildCheckout({ ...PAID, ...ESCROW, receivedAtto: dollarsOf(10n) })),
  shown(
    'refunded from escrow',
    buildCheckout({ ...PAID, ...ESCROW, escrowRefundedAt: new Date(), receivedAtto: dollarsOf(10n) }),
  ),
  { name: 'not found', checkout: null, page: (query, change) => renderFailurePage(404, query, change) },
  {
    name: 'too many requests',
    checkout: null,
    page: (query, change) => renderFailurePage(429, query, change),
  },
  {
    name: 'service unavailable',
    checkout: null,
    page: (query, change) => renderFailurePage(503, query, change),
  },
]

function shown(name: string, checkout: Checkout): ShownScreen {
  return { name, checkout, page: (query = '', change = {}) => buildPageSchema(checkout, query, change) }
}
