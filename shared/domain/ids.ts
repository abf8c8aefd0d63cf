import { randomBytes } from 'node:crypto'
import { invariant } from './errors.ts'

/**
 * What an id names: charge, recipient, webhook, event, delivery, API key, organization, request, payout.
 *
 * @see decisions 3.1
 */
export type IdPrefix = 'ch' | 'rc' | 'wh' | 'evt' | 'dl' | 'key' | 'org' | 'req' | 'po'

/** Crockford's base 32 in lower case: URL-safe, without look-alikes, and in ASCII order, so that ids sort as text. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

/** 10 characters hold 50 bits, enough for 48 bits of milliseconds (until the year 10889). */
const TIME_LENGTH = 10
const MAX_TIME_MS = 2 ** 48 - 1

/** 26 characters hold 130 random bits: a charge's id is the secret salt of its address (at least 128 bits). */
const RANDOM_LENGTH = 26

const BODY = new RegExp(`^[${ALPHABET}]{${TIME_LENGTH + RANDOM_LENGTH}}$`)

/**
 * Makes a new id such as `ch_01k…`: 36 characters after the prefix, which sort by time.
 *
 * @param nowMs - Unix milliseconds
 */
export function newId<Prefix extends IdPrefix>(prefix: Prefix, nowMs: number): `${Prefix}_${string}` {
  return `${prefix}_${encodeTime(nowMs)}${randomCharacters()}`
}

/** Answers what no id of that kind made at this time, or later, sorts before. */
export function earliestId(prefix: IdPrefix, atMs: number): string {
  return `${prefix}_${encodeTime(atMs)}`
}

/** Tells whether `text` has the form of an id of this kind. */
export function isId<Prefix extends IdPrefix>(prefix: Prefix, text: string): text is `${Prefix}_${string}` {
  return text.startsWith(`${prefix}_`) && BODY.test(text.slice(prefix.length + 1))
}

function encodeTime(nowMs: number): string {
  invariant(Number.isInteger(nowMs) && nowMs >= 0 && nowMs <= MAX_TIME_MS, `${nowMs} ms is no 48-bit time`)
  let characters = ''
  for (let rest = nowMs; characters.length < TIME_LENGTH; rest = Math.floor(rest / 32)) {
    characters = ALPHABET.charAt(rest % 32) + characters
  }
  return characters
}

function randomCharacters(): string {
  let characters = ''
  // 256 is a multiple of 32, so the low five bits of a random byte are evenly distributed.
  for (const byte of takeRandomBytes(RANDOM_LENGTH)) characters += ALPHABET.charAt(byte % 32)
  return characters
}

/** Random bytes that no id has been made of yet: asking the system for each id alone takes 5 µs (measured). */
let unusedBytes = Buffer.alloc(0)

function takeRandomBytes(length: number): Buffer {
  if (unusedBytes.length < length) unusedBytes = randomBytes(128 * RANDOM_LENGTH)
  const taken = unusedBytes.subarray(0, length)
  unusedBytes = unusedBytes.subarray(length)
  return taken
}
