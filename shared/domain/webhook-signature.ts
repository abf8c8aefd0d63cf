import { createHmac, type Hmac } from 'node:crypto'
import type { WebhookSecret } from './webhook-secret.ts'

/** The signed content of one attempt to send a body. */
export type SignedAttempt = {
  /** Id of the envelope, `evt_…`. */
  readonly id: string
  /** The envelope's bytes, or their UTF-8 text. */
  readonly body: string | Buffer
  /** Unix seconds of this attempt. */
  readonly timestamp: number
}

/**
 * Returns headers that prove, in two schemes, that a body comes from us and when it was sent.
 *
 * `X-Service-Signature` is `t=<seconds>,v1=<hex>` over `{t}.{body}`, keyed with the whole text of the secret; Stripe's
 * libraries verify it. `webhook-signature` is the header of Standard Webhooks over `{id}.{t}.{body}`, keyed with the
 * secret's decoded base64 part. During a rotation both headers contain a signature per secret. In the first scheme, the
 * newest signature is repeated at the end, because some receivers read only the first `v1`, and others only the last.
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
