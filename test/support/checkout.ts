import { presentCurrentCharge } from '../../api/charges/present.ts'
import { chooseLanguage } from '../../api/checkout/languages.ts'
import { type Checkout, projectCheckout } from '../../api/checkout/project.ts'
import { type PageAt, renderCheckout } from '../../api/checkout/render-checkout.ts'
import { renderFailure } from '../../api/checkout/render-failure.ts'
import { createTranslator } from '../../api/checkout/translate.ts'
import type { PendingTransfer } from '../../shared/db/chain-facts/confirmation-progress.ts'
import type { PageTransfer } from '../../shared/db/chain-facts/page-transfers.ts'
import { isPaymentUnavailable } from '../../shared/db/charges/api/charges-read.ts'
import { type ChargeRow, toChargeRecord } from '../../shared/db/charges/charge-row.ts'
import type { PageBrand } from '../../shared/db/organizations/api/brands-read.ts'
import { type AttoDollars, atto, microToAtto } from '../../shared/domain/money.ts'
import { REGISTRY } from '../../shared/domain/network-registry.ts'
import type { Pair, PairKey } from '../../shared/domain/networks.ts'
import { buildCharge } from './factories.ts'

/** Ten minutes before the deadline that `buildCharge` sets. */
const BEFORE_DEADLINE = new Date('2026-11-20T12:50:00.000Z')

/** Page data that is not part of the charge. */
type Moment = {
  readonly awaited?: readonly Omit<PendingTransfer, 'chargeId'>[]
  /**
   * Amount detected but not yet credited. Default: the charge's amount if `awaited` has a transfer, otherwise zero.
   */
  readonly seen?: AttoDollars
  readonly isSignatureInFlight?: boolean
  readonly transfers?: readonly PageTransfer[]
  readonly now?: Date
  readonly unavailablePayments?: readonly PairKey[]
  /** By default, there is no brand. A brand has no support contact and no frame origins unless it sets them. */
  readonly brand?: (Pick<PageBrand, 'name' | 'accent' | 'logoHash'> & Partial<PageBrand>) | null
  readonly hasImages?: boolean
}

export function buildCheckout(columns: Partial<ChargeRow> = {}, moment: Moment = {}): Checkout {
  const row = buildCharge(columns)
  const charge = toChargeRecord(row)
  const { awaited = [], transfers = [], now = BEFORE_DEADLINE, unavailablePayments = [] } = moment
  const { brand = null, hasImages = true, isSignatureInFlight = false } = moment
  const seenAtto = moment.seen ?? (awaited.length > 0 ? microToAtto(charge.amountMicro) : atto(0n))
  const current = {
    ...{ charge, seenAtto, onTimeAtto: row.onTimeAtto, unavailablePayments, payBySignature: [], readAt: now },
    isSignatureInFlight,
    contracts: new Map(charge.acceptedPayments.map((pair) => contractOf(pair, charge.environment))),
    paymentUnavailable: isPaymentUnavailable(charge, { unavailablePayments }),
  }
  const deps = {
    config: { checkoutBaseUrl: 'https://pay.example/pay' },
    swap: { networks: () => new Set(['base'] as const) },
  }
  return projectCheckout({
    current,
    presented: JSON.parse(presentCurrentCharge(current, deps)),
    awaited: awaited.map((transfer) => ({ chargeId: charge.id, ...transfer })),
    transfers,
    brand: brand && { support: null, frameOrigins: null, ...brand },
    ...{ hasImages, now },
  })
}

/** Renders the page of this view, with the choices in the query. */
export function buildPageSchema(checkout: Checkout, query = '', change: Partial<PageAt> = {}): string {
  const asked = new URLSearchParams(query)
  const words = createTranslator(chooseLanguage({ lang: asked.get('lang'), accept: '' }))
  const pageUrl = `https://pay.example/pay/${checkout.id}`
  const at = {
    query: asked,
    now: BEFORE_DEADLINE,
    words,
    frameOrigins: [],
    script: null,
    pageUrl,
    hasWalletLinks: true,
  }
  return renderCheckout(checkout, { ...at, ...change })
}

/** Renders the page of an error response. */
export function renderFailurePage(
  status: number,
  query = '',
  { script = null }: Partial<PageAt> = {},
): string {
  const lang = new URLSearchParams(query).get('lang')
  return renderFailure(status, { words: createTranslator(chooseLanguage({ lang, accept: '' })), script })
}

function contractOf(pair: Pair, environment: 'live' | 'test') {
  const facts = REGISTRY[pair.network][environment]
  const token = facts?.tokens[pair.token]
  if (!facts || !token) throw new Error(`there is no ${pair.token} on ${pair.network}`)
  const contract = { chainId: facts.chainId, tokenAddress: token.address, decimals: token.decimals }
  return [`${pair.token}/${pair.network}`, contract] as const
}
