import { isLanguage, type Language } from './languages.ts'
import type { Payment } from './list-payments.ts'

/** Ways to pay, in the order in which the page offers them. */
export const WAYS = ['wallet', 'scan', 'exchange'] as const

/** A way to pay: through a wallet, by hand with the QR code or the address, or from an account at an exchange. */
export type Way = (typeof WAYS)[number]

/** The payer's choices on the page. The page's URL contains them, so that a reload shows the same page. */
export type Choice = {
  /** The chosen pair, or the first pair if there is no valid choice. `null` if the page does not request a payment. */
  readonly payment: Payment | null
  /** The pair in the page's URL, which might not be payable now. */
  readonly wanted: { readonly token: string; readonly network: string } | null
  readonly way: Way
  /** Whether the QR code holds a payment link instead of only the address. */
  readonly isLink: boolean
  /** Whether to request a payment even if the page would otherwise show a refused transfer (`wrongPayment`). */
  readonly isInstead: boolean
  /** Whether the page reloads itself. */
  readonly isLive: boolean
  /** The chosen language; `null`: use the browser's language. */
  readonly language: Language | null
}

/** Parses the choices in the page's URL. Unknown values are ignored. */
export function parseChoice(query: URLSearchParams, payments: readonly Payment[]): Choice {
  const [token, network] = [query.get('token'), query.get('network')]
  const chosen = payments.find((payment) => payment.token === token && payment.network === network)
  const language = query.get('lang') ?? ''
  const isLink = query.get('form') === 'link'
  return {
    payment: chosen ?? payments[0] ?? null,
    wanted: token === null || network === null ? null : { token, network },
    way: WAYS.find((way) => way === query.get('way')) ?? (isLink ? 'scan' : 'wallet'),
    isLink,
    isInstead: query.get('instead') === 'yes',
    isLive: query.get('refresh') !== 'off',
    language: isLanguage(language) ? language : null,
  }
}

/** Returns the link to this page with the given choices. It names the pair only if the payer has chosen one. */
export function choiceLink({ payment, wanted, way, isLink, isInstead, isLive, language }: Choice): string {
  const query = new URLSearchParams({
    ...(payment === null || wanted === null ? {} : { token: payment.token, network: payment.network }),
    ...(way === 'wallet' ? {} : { way }),
    ...(isLink && way === 'scan' ? { form: 'link' } : {}),
    ...(isInstead ? { instead: 'yes' } : {}),
    ...(isLive ? {} : { refresh: 'off' }),
    ...(language === null ? {} : { lang: language }),
  })
  return `?${query.toString()}`
}
