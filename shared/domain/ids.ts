import { randomBytes } from 'node:crypto'
import { invariant } from './errors.ts'

/**
 * The prefixes of ids, in this order: charge, recipient, webhook, event, delivery, API key, organization, request,
 * payout, refund.
 *
 * @see decisions 3.1
 */
export type IdPrefix = 'ch' | 'rc' | 'wh' | 'evt' | 'dl' | 'key' | 'org' | 'req' | 'po' | 'rf'

/**
 * Crockford's base 32 in lower case: safe in URLs, without characters that look alike, and in ASCII order, so that ids
 * sort as text.
 */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

/** 10 characters hold 50 bits, enough for 48 bits of milliseconds (until the year 10889). */
const TIME_LENGTH = 10
const MAX_TIME_MS = 2 ** 48 - 1

/** 26 characters hold 130 random bits. A charge's address is derived from its id, which needs at least 128 bits. */
const RANDOM_LENGTH = 26

const BODY = new RegExp(`^[${ALPHABET}]{${TIME_LENGTH + RANDOM_LENGTH}}$`)

/**
 * Creates a new id such as `ch_01k…`: 36 characters after the prefix, which sort by time.
 *
 * @param nowMs - Unix milliseconds
 */
export function newId<Prefix extends IdPrefix>(prefix: Prefix, nowMs: number): `${Prefix}_${string}` {
  return `${prefix}_${encodeTime(nowMs)}${randomCharacters()}`
}

/** Returns a lower bound of the ids with this prefix that are created at the given time (Unix ms) or later. */
export function getMinId(prefix: IdPrefix, atMs: number): string {
  return `${prefix}_${encodeTime(atMs)}`
}

/** Returns whether `text` has the form of an id with this prefix. */
export function isId<Prefix extends IdPrefix>(prefix: Prefix, text: string): text is `${Prefix}_${string}` {
  return text.startsWith(`${prefix}_`) && BODY.test(text.slice(prefix.length + 1))
}

function encodeTime(nowMs: number): string {
  invariant(Number.isInteger(nowMs) && nowMs >= 0 && nowMs <= MAX_TIME_MS, `${nowMs} ms is not a 48-bit time`)
  let characters = ''
  for (let rest = nowMs; characters.length < TIME_LENGTH; rest = Math.floor(rest / 32)) {
    characters = ALPHABET.charAt(rest % 32) + characters
  }
  return characters
}

function randomCharacters(): string {
  let characters = ''
  // The remainder is evenly distributed, because 256 is a multiple of 32.
  for (const byte of takeRandomBytes(RANDOM_LENGTH)) characters += ALPHABET.charAt(byte % 32)
  return characters
}

/** Random bytes for the next ids, generated in advance because a system call per id takes 5 µs (measured). */
let unusedBytes = Buffer.alloc(0)

function takeRandomBytes(length: number): Buffer {
  if (unusedBytes.length < length) unusedBytes = randomBytes(128 * RANDOM_LENGTH)
  const taken = unusedBytes.subarray(0, length)
  unusedBytes = unusedBytes.subarray(length)
  return taken
}
