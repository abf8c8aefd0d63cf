import { createHash, randomBytes } from 'node:crypto'

/** 128 random bits. */
const SECRET_BYTES = 16
const FORM = /^[A-Za-z0-9_-]{22}$/

/** Creates the secret of a payer's claim link. The secret is shown once, and only its hash is stored. */
export function createClaimSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url')
}

/** Returns the stored hash of a secret, in hex; `null` if the text does not have the form of a secret. */
export function hashClaimSecret(secret: string): string | null {
  return FORM.test(secret) ? createHash('sha256').update(secret).digest('hex') : null
}
