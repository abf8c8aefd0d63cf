import { randomBytes } from 'node:crypto'
import { invariant } from './errors.ts'

/** A signing secret in the merchant's form: `whsec_` and 32 random bytes in base64. */
export type WebhookSecret = `whsec_${string}`

const PREFIX = 'whsec_'

/** For a SHA-256 HMAC, longer keys add no security (RFC 2104, section 3). */
const SECRET_BYTES = 32

/** Characters of a secret that a hint shows. They reveal 24 of 256 bits, enough to tell two secrets apart. */
const HINT_CHARACTERS = 4

/** Creates a new random secret. */
export function createWebhookSecret(): WebhookSecret {
  return `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`
}

/** Returns the part of a secret that lists may show, such as `whsec_MfKQ…`. */
export function getHint(secret: WebhookSecret): string {
  return `${secret.slice(0, PREFIX.length + HINT_CHARACTERS)}…`
}

/**
 * Validates a decrypted secret. Every box that we sealed contains a valid one.
 *
 * @throws {Error} if the text is not a webhook secret
 */
export function parseWebhookSecret(text: string): WebhookSecret {
  invariant(/^whsec_[A-Za-z0-9+/]{43}=$/.test(text), 'a sealed webhook secret must have the form whsec_…')
  return text as WebhookSecret
}
