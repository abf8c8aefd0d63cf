import type { ChainFamilyName, Hex } from '../../shared/domain/address.ts'
import { AddressMismatch, type ChargeTerms } from './check-address.ts'

type Terms = ChargeTerms['addressTerms']
type Json = Readonly<Record<string, unknown>>

/** Maximum number of recipients that the contract allows. */
const MAX_RECIPIENTS = 16
const MAX_TEXT_LENGTH = 200
/** Same pattern as `isId` in shared/domain/ids.ts, which cannot run in browsers. */
const CHARGE_ID = /^ch_[0-9a-hjkmnp-tv-z]{36}$/
/** Only lowercase, so that the same terms always have the same text. */
const SALT = /^0x[0-9a-f]{64}$/

/**
 * Reads from untrusted JSON only the fields from which `checkTerms` computes a charge's address, and checks their form.
 *
 * @throws {AddressMismatch} naming the field, its value and the expected value
 */
export function readChargeTerms(json: unknown): ChargeTerms {
  const { id, address, addressTerms } = requireObject('the charge', json)
  if (typeof id !== 'string' || !CHARGE_ID.test(id)) throw mismatch('id', id, 'the id of a charge, ch_…')
  return {
    ...{ id, address: readText('address', address) },
    addressTerms: readTerms(requireObject('addressTerms', addressTerms)),
  }
}

/** Returns whether a JSON value is an object, neither a list nor `null`. */
export function isObject(json: unknown): json is Json {
  return typeof json === 'object' && json !== null && !Array.isArray(json)
}

function readTerms(terms: Json): Terms {
  const read = <Value>(reader: (name: string, value: unknown) => Value, field: string) =>
    reader(`addressTerms.${field}`, terms[field])
  const { family, safe } = terms
  return {
    ...(family === undefined ? {} : { family: read(readText, 'family') as ChainFamilyName }),
    factory: read(readText, 'factory'),
    salt: read(readSalt, 'salt'),
    recipients: read(readRecipients, 'recipients'),
    totalAllocation: read(readNumber, 'totalAllocation'),
    distributionIncentive: read(readNumber, 'distributionIncentive'),
    splitAddress: read(readText, 'splitAddress'),
    safe: safe === null ? null : readSafe(read(requireObject, 'safe')),
  }
}

function readRecipients(name: string, value: unknown): Terms['recipients'] {
  if (!Array.isArray(value) || value.length > MAX_RECIPIENTS)
    throw mismatch(name, value, `a list of at most ${MAX_RECIPIENTS}`)
  return value.map((recipient: unknown, index) => {
    const { address, allocation } = requireObject(`${name}[${index}]`, recipient)
    return {
      address: readText(`${name}[${index}].address`, address),
      allocation: readNumber(`${name}[${index}].allocation`, allocation),
    }
  })
}

function readSafe(safe: Json): NonNullable<Terms['safe']> {
  const read = (field: string) => readText(`addressTerms.safe.${field}`, safe[field])
  const { threshold } = safe
  if (threshold !== 1) throw mismatch('addressTerms.safe.threshold', threshold, '1')
  return {
    ...{ owner: read('owner'), threshold, singleton: read('singleton') },
    ...{ proxyFactory: read('proxyFactory'), fallbackHandler: read('fallbackHandler') },
  }
}

function requireObject(name: string, value: unknown): Json {
  if (!isObject(value)) throw mismatch(name, value, 'an object')
  return value
}

/** Accepts only printable ASCII, because the text might be printed to a terminal. */
function readText(name: string, value: unknown): string {
  if (typeof value === 'string' && value.length <= MAX_TEXT_LENGTH && /^[ -~]+$/.test(value)) return value
  throw mismatch(name, value, `a string of 1 to ${MAX_TEXT_LENGTH} printable ASCII characters`)
}

function readSalt(name: string, value: unknown): Hex {
  if (typeof value === 'string' && SALT.test(value)) return value as Hex
  throw mismatch(name, value, '0x and 64 lowercase hex digits')
}

function readNumber(name: string, value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value
  throw mismatch(name, value, 'an integer of at least 0')
}

/** Quotes the value as JSON, so that a forged charge cannot send control characters to the terminal. */
function mismatch(name: string, value: unknown, expected: string): AddressMismatch {
  const quoted = (JSON.stringify(value) ?? 'missing').slice(0, 100)
  return new AddressMismatch(`${name} is ${quoted}: must be ${expected}`)
}
