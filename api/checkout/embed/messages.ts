/*
 * The messages between a merchant's page and the checkout's page in its frame. Published versions of the script send
 * and expect these messages, so they must never change.
 */

/** From the merchant's page: requests reports to its origin. Sent after each load of the frame. */
export const HELLO = 'checkout:hello'

/** From the framed page: the payer pressed Escape inside the frame. */
export const CLOSE = 'checkout:close'

/** From the framed page: the steps of a payment, sent with `PREFIX`, each after all earlier steps. */
export const STEPS = ['opened', 'seen', 'paid'] as const

export const PREFIX = 'checkout:'
