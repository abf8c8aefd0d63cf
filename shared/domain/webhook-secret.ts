import { randomBytes } from 'node:crypto'
import { invariant } from './errors.ts'

/** A signing secret as the merchant holds it: `whsec_` and 32 random bytes in base64. */
export type WebhookSecret = `whsec_${string}`

const PREFIX = 'whsec_'

/** Of a SHA-256 HMAC more bytes of key add nothing (RFC 2104, section 3). */
const SECRET_BYTES = 32

/** How much of a secret is shown: enough to tell two apart, 24 of its 256 bits. */
const HINT_CHARACTERS = 4

/** Makes a secret nobody has seen. */
export function createWebhookSecret(): WebhookSecret {
  return `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`
}

/** Answers the part of a secret that lists may show, such as `whsec_MfKQ…`. */
export function hintOf(secret: WebhookSecret): string {
  return `${secret.slice(0, PREFIX.length + HINT_CHARACTERS)}…`
}

/** Tells that text is a secret of ours; what a sealed box held can be nothing else. */
export function parseWebhookSecret(text: string): WebhookSecret {
  invariant(/^whsec_[A-Za-z0-9+/]{43}=$/.test(text), 'a sealed webhook secret is not of the form whsec_…')
  return text as WebhookSecret
}
