import { createHash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Environment } from './networks.ts'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** 62^43 is just over 2^256. */
const SECRET_LENGTH = 43

/** 62^6 holds the 32 bits of the checksum. */
const CHECKSUM_LENGTH = 6

const KEY = new RegExp(`^(svc_(live|test)_[0-9A-Za-z]{${SECRET_LENGTH}})([0-9A-Za-z]{${CHECKSUM_LENGTH}})$`)

/**
 * Makes a new API key: `svc_live_` or `svc_test_`, 43 random base62 characters and 6 of checksum.
 *
 * The key is a secret of about 256 bits; only its hash is ever stored.
 *
 * @see decisions 7.3
 */
export function createApiKey(environment: Environment): string {
  const characters = Array.from({ length: SECRET_LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length)))
  const body = `svc_${environment}_${characters.join('')}`
  return body + checksumOf(body)
}

/**
 * Reads the environment off a key whose checksum is right, or answers `null`.
 *
 * The checksum tells a mistyped or invented key from a real one before the database is asked; it proves nothing.
 */
export function parseApiKey(text: string): { readonly environment: Environment } | null {
  const match = KEY.exec(text)
  if (match === null) return null
  const [, body = '', environment = '', checksum] = match
  return checksumOf(body) === checksum ? { environment: environment as Environment } : null
}

/** Answers the SHA-256 of a key, 32 bytes: what is stored and looked up. */
export function hashApiKey(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/** CRC-32 of prefix and secret, in base62: certain to notice any one changed character, and live taken for test. */
function checksumOf(body: string): string {
  const sum = crc32(body)
  const characters = Array.from({ length: CHECKSUM_LENGTH }, (_, index) => {
    const place = ALPHABET.length ** (CHECKSUM_LENGTH - 1 - index)
    return ALPHABET.charAt(Math.floor(sum / place) % ALPHABET.length)
  })
  return characters.join('')
}
