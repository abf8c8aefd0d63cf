import { createHmac, type Hmac } from 'node:crypto'
import type { WebhookSecret } from './webhook-secret.ts'

/** What is signed: one attempt at sending one body. */
export type SignedAttempt = {
  /** The envelope's `evt_…`. */
  readonly id: string
  /** Its bytes, or the text of which they are the UTF-8. */
  readonly body: string | Buffer
  /** Unix seconds of this attempt. */
  readonly timestamp: number
}

/**
 * Answers the headers that prove a body is ours and fresh, in two schemes.
 *
 * `X-Service-Signature` is `t=<seconds>,v1=<hex>` over `{t}.{body}`, keyed with the whole text of the secret, which
 * the Stripe libraries verify. `webhook-signature` is that of Standard Webhooks over `{id}.{t}.{body}`, keyed with
 * the secret's decoded base64 part. During a rotation both name every secret; the first scheme ends with the newest
 * once more, because hand-written receivers take the first `v1` or the last.
 *
 * @param secrets - newest first, never empty
 * @see decisions 6.6; https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export function signAttempt(
  attempt: SignedAttempt,
  secrets: readonly [WebhookSecret, ...WebhookSecret[]],
): Readonly<Record<string, string>> {
  const { id, timestamp, body } = attempt
  const around = secrets.length > 1 ? [...secrets, secrets[0]] : secrets
  const own = around.map((secret) => `v1=${hmac(secret, `${timestamp}.`, body).digest('hex')}`)
  const standard = secrets.map((secret) => {
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
    return `v1,${hmac(key, `${id}.${timestamp}.`, body).digest('base64')}`
  })
  return {
    'x-service-signature': [`t=${timestamp}`, ...own].join(','),
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': standard.join(' '),
  }
}

function hmac(key: string | Buffer, head: string, body: string | Buffer): Hmac {
  return createHmac('sha256', key).update(head).update(body)
}
