import { createHash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Environment } from './networks.ts'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Base62 characters of the secret: 62^43 is just above 2^256. */
const SECRET_LENGTH = 43

/** Base62 characters of the checksum: 62^6 is above its 2^32 values. */
const CHECKSUM_LENGTH = 6

const KEY = new RegExp(`^(svc_(live|test)_[0-9A-Za-z]{${SECRET_LENGTH}})([0-9A-Za-z]{${CHECKSUM_LENGTH}})$`)

/**
 * Creates an API key: `svc_live_` or `svc_test_`, 43 random base62 characters and 6 characters of checksum.
 *
 * The key is a secret of about 256 bits. Only its hash is stored.
 *
 * @see decisions 7.3
 */
export function createApiKey(environment: Environment): string {
  const characters = Array.from({ length: SECRET_LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length)))
  const body = `svc_${environment}_${characters.join('')}`
  return body + computeChecksum(body)
}

/**
 * Parses the environment of a key. Returns `null` if the text does not have the form of a key, or the checksum is
 * wrong.
 *
 * The checksum detects a mistyped or invented key without a database query. It does not prove that the key exists.
 */
export function parseApiKey(text: string): { readonly environment: Environment } | null {
  const match = KEY.exec(text)
  if (match === null) return null
  const [, body = '', environment = '', checksum] = match
  return computeChecksum(body) === checksum ? { environment: environment as Environment } : null
}

/** Returns the SHA-256 hash of a key (32 bytes). The database stores only this hash, and finds the key by it. */
export function hashApiKey(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/**
 * Returns the CRC-32 of prefix and secret, in base62. It detects any single changed character, and `live` exchanged for
 * `test`.
 */
function computeChecksum(body: string): string {
  const sum = crc32(body)
  const characters = Array.from({ length: CHECKSUM_LENGTH }, (_, index) => {
    const place = ALPHABET.length ** (CHECKSUM_LENGTH - 1 - index)
    return ALPHABET.charAt(Math.floor(sum / place) % ALPHABET.length)
  })
  return characters.join('')
}
