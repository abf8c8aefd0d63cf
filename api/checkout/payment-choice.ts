import { isLanguage, type Language } from './languages.ts'
import type { Payment } from './list-payments.ts'

/** The payer's choices on the page. They are kept in the page's address, so that a reload shows the same page. */
export type Choice = {
  readonly payment: Payment | null
  /** Whether the QR code holds a payment link instead of only the address. */
  readonly isLink: boolean
  /** Whether the payer pays in an accepted way although the page shows a payment that does not count. */
  readonly isInstead: boolean
  /** Whether the page reloads itself. */
  readonly isLive: boolean
  /** `null`: use the browser's language. */
  readonly language: Language | null
}

/** Parses the choices from the page's address. A single way to pay counts as chosen; unknown values are ignored. */
export function parseChoice(query: URLSearchParams, payments: readonly Payment[]): Choice {
  const chosen = payments.find(
    ({ token, network }) => token === query.get('token') && network === query.get('network'),
  )
  const language = query.get('lang') ?? ''
  return {
    payment: chosen ?? (payments.length === 1 ? (payments[0] ?? null) : null),
    isLink: query.get('form') === 'link',
    isInstead: query.get('instead') === 'yes',
    isLive: query.get('refresh') !== 'off',
    language: isLanguage(language) ? language : null,
  }
}

/** Returns the link to this page with another choice. */
export function choiceLink({ payment, isLink, isInstead, isLive, language }: Choice): string {
  const query = new URLSearchParams({
    ...(payment === null ? {} : { token: payment.token, network: payment.network }),
    ...(isLink ? { form: 'link' } : {}),
    ...(isInstead ? { instead: 'yes' } : {}),
    ...(isLive ? {} : { refresh: 'off' }),
    ...(language === null ? {} : { lang: language }),
  })
  return `?${query.toString()}`
}
