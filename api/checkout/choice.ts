import type { Payment } from './project.ts'

/** What a payer has chosen on the page so far; kept in its address, so that a reload shows the same. */
export type Choice = {
  readonly payment: Payment | null
  /** The QR code holds the whole payment, not the address alone. */
  readonly isLink: boolean
  /** The page reloads itself. */
  readonly isLive: boolean
}

/** Reads what was chosen; of a single way to pay there is no choice, and what is no choice of ours is none. */
export function readChoice(query: URLSearchParams, payments: readonly Payment[]): Choice {
  const chosen = payments.find(
    ({ token, network }) => token === query.get('token') && network === query.get('network'),
  )
  return {
    payment: chosen ?? (payments.length === 1 ? (payments[0] ?? null) : null),
    isLink: query.get('form') === 'link',
    isLive: query.get('refresh') !== 'off',
  }
}

/** Writes the link to this page with another choice. */
export function choiceLink({ payment, isLink, isLive }: Choice): string {
  const query = new URLSearchParams({
    ...(payment === null ? {} : { token: payment.token, network: payment.network }),
    ...(isLink ? { form: 'link' } : {}),
    ...(isLive ? {} : { refresh: 'off' }),
  })
  return `?${query.toString()}`
}
