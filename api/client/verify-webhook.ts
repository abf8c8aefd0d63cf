import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import type { Schema } from './schema.ts'

/** Thrown for a webhook delivery that must not be trusted. The message gives the reason. */
export class WebhookVerificationError extends Error {}

export type ReceivedWebhook = {
  /** The body exactly as received. Parsing and serializing it could change the text. */
  readonly body: string | Uint8Array
  /** Names in lower case, as Node provides them. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
}

/**
 * Maximum difference between the signature's time and now, equal to that of Stripe's and Standard Webhooks' libraries.
 */
const TOLERANCE_SECONDS = 300

/**
 * Verifies that a delivery is recent and comes from the service, and returns its event.
 *
 * Reads `X-Service-Signature`, or `webhook-signature` if the first header is missing. Compares in constant time. An
 * event can arrive more than once, so the receiver must skip an `id` that it has already processed.
 *
 * @param secrets - one secret, `whsec_…`, or several during a rotation
 * @throws {WebhookVerificationError} if no signature is valid, its time is too far from now, or a secret is malformed
 */
export function verifyWebhook(
  { body, headers }: ReceivedWebhook,
  secrets: string | readonly string[],
  options: { readonly toleranceSeconds?: number; readonly nowMs?: number } = {},
): Schema<'WebhookEvent'> {
  const { toleranceSeconds = TOLERANCE_SECONDS, nowMs = Date.now() } = options
  const keys = [secrets].flat()
  keys.forEach(requireSecret)
  const bytes = typeof body === 'string' ? utf8ToBytes(body) : body
  const signed = parseOwnScheme(headers) ?? parseStandardScheme(headers)
  if (signed === null) throw new WebhookVerificationError('the request has no signature')
  const ageSeconds = Math.abs(nowMs / 1000 - signed.timestamp)
  if (!(ageSeconds <= toleranceSeconds)) {
    throw new WebhookVerificationError(
      `the signature's time differs from now by ${Math.round(ageSeconds)} seconds; at most ${toleranceSeconds} are allowed`,
    )
  }
  const expected = keys.map((secret) => signed.sign(secret, bytes))
  if (!expected.some((one) => signed.signatures.some((other) => isSame(one, other)))) {
    throw new WebhookVerificationError('no signature matches this body and secret')
  }
  return JSON.parse(new TextDecoder().decode(bytes)) as Schema<'WebhookEvent'>
}

/** The error message must not show the secret. */
function requireSecret(secret: string): void {
  if (isWebhookSecret(secret)) return
  throw new WebhookVerificationError(
    'a secret is empty or malformed: it must be whsec_ followed by 44 characters of base64',
  )
}

/**
 * Returns whether a text has the form of a webhook secret: `whsec_` and 32 bytes in base64. A truncated secret could
 * decode to an empty key, with which anyone can sign.
 */
export function isWebhookSecret(text: string): boolean {
  return /^whsec_[A-Za-z0-9+/]{43}=$/.test(text)
}

type Signed = {
  /** Unix seconds. */
  readonly timestamp: number
  readonly signatures: readonly Uint8Array[]
  readonly sign: (secret: string, body: Uint8Array) => Uint8Array
}

/** Parses `t=<seconds>,v1=<hex>[,v1=<hex>…]`. The signatures are over `{t}.{body}`, keyed with the whole secret. */
function parseOwnScheme(headers: ReceivedWebhook['headers']): Signed | null {
  const text = one(headers['x-service-signature'])
  if (text === null) return null
  const parts = text.split(',').map((part) => part.trim().split('='))
  const time = parts.find(([name]) => name === 't')?.[1] ?? ''
  return {
    timestamp: Number(time),
    signatures: parts.filter(([name]) => name === 'v1').map(([, hex = '']) => parseHex(hex)),
    sign: (secret, body) => sign(utf8ToBytes(secret), `${time}.`, body),
  }
}

/**
 * Parses `v1,<base64>[ v1,<base64>…]`. The signatures are over `{id}.{t}.{body}`, keyed with the decoded secret
 * (standardwebhooks.com).
 */
function parseStandardScheme(headers: ReceivedWebhook['headers']): Signed | null {
  const text = one(headers['webhook-signature'])
  const id = one(headers['webhook-id'])
  const time = one(headers['webhook-timestamp'])
  if (text === null || id === null || time === null) return null
  const parts = text.split(' ').map((part) => part.split(','))
  return {
    timestamp: Number(time),
    signatures: parts.filter(([version]) => version === 'v1').map(([, base64 = '']) => parseBase64(base64)),
    sign: (secret, body) => sign(parseBase64(secret.replace(/^whsec_/, '')), `${id}.${time}.`, body),
  }
}

function sign(key: Uint8Array, prefix: string, body: Uint8Array): Uint8Array {
  return hmac(sha256, key, concatBytes(utf8ToBytes(prefix), body))
}

/** Returns an empty array, which matches no signature, for text that is not hexadecimal. */
function parseHex(text: string): Uint8Array {
  const isHex = /^(?:[0-9a-f]{2})*$/i.test(text)
  return isHex
    ? Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
    : new Uint8Array()
}

/** Accepts base64 with or without padding. Returns an empty array for any other text. */
function parseBase64(text: string): Uint8Array {
  const digits = text.replace(/={1,2}$/, '')
  const isBase64 = /^[A-Za-z0-9+/]*$/.test(digits) && digits.length % 4 !== 1
  return isBase64 ? Uint8Array.from(atob(digits), (char) => char.charCodeAt(0)) : new Uint8Array()
}

/** Compares all bytes even after a difference, so that the duration does not reveal how many bytes match. */
function isSame(one: Uint8Array, other: Uint8Array): boolean {
  if (one.length !== other.length) return false
  let difference = 0
  one.forEach((byte, index) => {
    difference |= byte ^ (other[index] ?? 0)
  })
  return difference === 0
}

function one(header: string | readonly string[] | undefined): string | null {
  const [first] = [header].flat()
  return first === undefined || first === '' ? null : first
}
