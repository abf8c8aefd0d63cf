import { isLanguage, type Language } from './languages.ts'
import type { Payment } from './project.ts'

/** What a payer has chosen on the page so far; kept in its address, so that a reload shows the same. */
export type Choice = {
  readonly payment: Payment | null
  /** The QR code holds the whole payment, not the address alone. */
  readonly isLink: boolean
  /** The page reloads itself. */
  readonly isLive: boolean
  /** `null`: the browser's. */
  readonly language: Language | null
}

/** Reads what was chosen; of a single way to pay there is no choice, and what is no choice of ours is none. */
export function readChoice(query: URLSearchParams, payments: readonly Payment[]): Choice {
  const chosen = payments.find(
    ({ token, network }) => token === query.get('token') && network === query.get('network'),
  )
  const language = query.get('lang') ?? ''
  return {
    payment: chosen ?? (payments.length === 1 ? (payments[0] ?? null) : null),
    isLink: query.get('form') === 'link',
    isLive: query.get('refresh') !== 'off',
    language: isLanguage(language) ? language : null,
  }
}

/** Writes the link to this page with another choice. */
export function choiceLink({ payment, isLink, isLive, language }: Choice): string {
  const query = new URLSearchParams({
    ...(payment === null ? {} : { token: payment.token, network: payment.network }),
    ...(isLink ? { form: 'link' } : {}),
    ...(isLive ? {} : { refresh: 'off' }),
    ...(language === null ? {} : { lang: language }),
  })
  return `?${query.toString()}`
}
