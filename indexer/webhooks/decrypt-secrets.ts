import { LRUCache } from 'lru-cache'
import { invariant } from '../../shared/domain/errors.ts'
import { createUnseal } from '../../shared/domain/sealed-box.ts'
import { parseWebhookSecret, type WebhookSecret } from '../../shared/domain/webhook-secret.ts'

type Sealed = {
  readonly secretSealed: Buffer
  readonly oldSecretSealed: Buffer | null
  readonly oldSecretUntil: Date | null
}

/** Returns the current signing secrets of a webhook, newest first. */
export type DecryptSecrets = (sealed: Sealed, now: Date) => readonly [WebhookSecret, ...WebhookSecret[]]

/**
 * Maximum number of decrypted secrets in the cache. Without it, each attempt needs an X25519 key agreement, which takes
 * 0.1 ms, about as much as all other computation of the attempt.
 */
const MAX_CACHED = 10_000

/**
 * Creates the function that decrypts webhook secrets with the daemon's private keys.
 *
 * If no key decrypts a secret, the function throws an error without a public code, because the configuration is wrong,
 * not the endpoint.
 */
export function createDecryptSecrets(privateKeys: readonly Buffer[]): DecryptSecrets {
  const cache = new LRUCache<string, WebhookSecret>({ max: MAX_CACHED })
  const unseal = createUnseal(privateKeys)

  function openOne(sealed: Buffer): WebhookSecret {
    const name = sealed.toString('base64')
    const known = cache.get(name)
    if (known !== undefined) return known
    const text = unseal(sealed)
    invariant(text !== null, 'no key in WEBHOOK_SEAL_PRIVATE_KEY decrypts a webhook secret')
    const secret = parseWebhookSecret(text)
    cache.set(name, secret)
    return secret
  }

  return ({ secretSealed, oldSecretSealed, oldSecretUntil }, now) => {
    const isOldValid = oldSecretSealed !== null && oldSecretUntil !== null && oldSecretUntil > now
    return isOldValid ? [openOne(secretSealed), openOne(oldSecretSealed)] : [openOne(secretSealed)]
  }
}
