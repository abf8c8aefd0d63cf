import { readFileSync } from 'node:fs'
import type { ChargeTerms } from '../../shared/db/charges/daemon/charge-terms.ts'
import { type Address, parseEvmAddress } from '../../shared/domain/address.ts'
import { predictSafeAddress, SAFE_CONTRACTS } from '../../shared/domain/escrow-address.ts'
import {
  chargeSalt,
  predictSplitAddress,
  SPLIT_FACTORY,
  SPLIT_IMPLEMENTATION,
} from '../../shared/domain/split-address.ts'
import { CommandError } from '../../shared/runtime/command-line.ts'

const STANDARD_INPUT = 0

/** A charge is at most its metadata, 16 KiB, and a few kilobytes more; a webhook's body little more than that. */
const MAX_BYTES = 1_000_000

/** An object of JSON. */
export type Json = { readonly [key: string]: unknown }

/**
 * Reads a charge as the API answered it, or as a webhook told it, for when the database does not know it.
 *
 * Nothing of it is believed but what its addresses commit to: the Safe's is computed again here, the split's by whoever
 * uses the terms.
 *
 * @param file - its path; `-` for standard input
 * @throws {CommandError} naming what is missing or differs
 */
export function readChargeFile(file: string): ChargeTerms {
  return termsOf(readCharge(file))
}

/** Reads the JSON of a charge: the charge itself, or the `data` of a webhook's body; throws as `readChargeFile`. */
export function readCharge(file: string): Json {
  return chargeOf(readJson(file))
}

/** What a charge's JSON says of its addresses, computed again; throws as `readChargeFile`. */
export function termsOf(charge: Json): ChargeTerms {
  const terms = objectAt(charge, 'addressTerms')
  const id = textAt(charge, 'id')
  requireSame('addressTerms.salt', { found: textAt(terms, 'salt'), expected: chargeSalt(id) })
  const splitAddress = addressAt(terms, 'splitAddress')
  const releaser = terms['safe'] === null ? null : safeOwnerOf(objectAt(terms, 'safe'))
  const address = addressAt(charge, 'address')
  const paidAt =
    releaser === null ? splitAddress : predictSafeAddress({ releaser, saltNonce: chargeSalt(id) })
  requireSame('address', { found: address, expected: paidAt })
  return {
    ...{ id, address, splitAddress, escrowReleaser: releaser },
    environment: environmentOf(charge),
    splitTerms: { ...splitOf(terms), factory: addressAt(terms, 'factory') },
  }
}

/**
 * Throws {@link CommandError} unless the terms make the split, by our factory, whoever wrote them: a split elsewhere holds
 * nothing of this charge, and costs the gas of deploying it.
 */
export function requireOwnSplit({ id, splitAddress, splitTerms }: ChargeTerms): void {
  if (splitTerms.factory !== SPLIT_FACTORY)
    throw new CommandError(`the factory is ${splitTerms.factory}; this program knows ${SPLIT_FACTORY} only`)
  const predicted = predict(id, splitTerms)
  if (predicted === splitAddress) return
  throw new CommandError(`the terms make ${predicted}, not the split ${splitAddress}: nothing was signed`)
}

function predict(id: string, { factory, ...split }: ChargeTerms['splitTerms']): Address {
  try {
    return predictSplitAddress({ factory, implementation: SPLIT_IMPLEMENTATION, split, salt: chargeSalt(id) })
  } catch (error) {
    throw new CommandError(`the terms are none that can be deployed: ${(error as Error).message}`)
  }
}

function readJson(file: string): unknown {
  try {
    const text = readFileSync(file === '-' ? STANDARD_INPUT : file, 'utf8')
    if (text.length <= MAX_BYTES) return JSON.parse(text) as unknown
  } catch (error) {
    throw new CommandError(`--charge-file ${file} cannot be read as JSON: ${(error as Error).message}`)
  }
  throw new CommandError(`--charge-file ${file} is larger than ${MAX_BYTES} bytes`)
}

/** The charge itself, or the `data` of a webhook's body. */
function chargeOf(json: unknown): Json {
  if (isObject(json) && isObject(json['addressTerms'])) return json
  if (isObject(json) && isObject(json['data']) && isObject(json['data']['addressTerms'])) return json['data']
  throw new CommandError('--charge-file is no charge: neither it nor its `data` has addressTerms')
}

/** A Safe of other contracts may have any owner. */
function safeOwnerOf(safe: Json): Address {
  for (const name of ['singleton', 'proxyFactory', 'fallbackHandler'] as const) {
    requireSame(`addressTerms.safe.${name}`, { found: addressAt(safe, name), expected: SAFE_CONTRACTS[name] })
  }
  return addressAt(safe, 'owner')
}

function environmentOf(charge: Json): ChargeTerms['environment'] {
  const environment = textAt(charge, 'environment')
  if (environment === 'live' || environment === 'test') return environment
  throw new CommandError(`environment is ${JSON.stringify(environment)}: must be live or test`)
}

function splitOf(terms: Json) {
  const recipients = terms['recipients']
  if (!Array.isArray(recipients) || !recipients.every(isObject))
    throw new CommandError('addressTerms.recipients is no list of recipients')
  return {
    recipients: recipients.map((recipient) => addressAt(recipient, 'address')),
    allocations: recipients.map((recipient) => wholeNumberAt(recipient, 'allocation')),
    totalAllocation: wholeNumberAt(terms, 'totalAllocation'),
    distributionIncentive: wholeNumberAt(terms, 'distributionIncentive'),
  }
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function objectAt(json: Json, key: string): Json {
  const value = json[key]
  if (isObject(value)) return value
  throw new CommandError(`${key} is ${JSON.stringify(value)}: must be an object`)
}

/** A member that is a text; throws {@link CommandError}. */
export function textAt(json: Json, key: string): string {
  const value = json[key]
  if (typeof value === 'string') return value
  throw new CommandError(`${key} is ${JSON.stringify(value)}: must be a text`)
}

function wholeNumberAt(json: Json, key: string): number {
  const value = numberAt(json, key)
  if (Number.isSafeInteger(value)) return value
  throw new CommandError(`${key} is ${JSON.stringify(value)}: must be a whole number`)
}

/** A member that is a number; throws {@link CommandError}. */
export function numberAt(json: Json, key: string): number {
  const value = json[key]
  if (typeof value === 'number') return value
  throw new CommandError(`${key} is ${JSON.stringify(value)}: must be a number`)
}

/** A member that may be left out or `null`, and is a text otherwise; throws {@link CommandError}. */
export function optionalTextAt(json: Json, key: string): string | null {
  return json[key] === undefined || json[key] === null ? null : textAt(json, key)
}

/** A member that is a list of objects; throws {@link CommandError}. */
export function listAt(json: Json, key: string): readonly Json[] {
  const value = json[key]
  if (Array.isArray(value) && value.every(isObject)) return value
  throw new CommandError(`${key} is no list of objects`)
}

function addressAt(json: Json, key: string): Address {
  const address = parseEvmAddress(textAt(json, key))
  if (address !== null) return address
  throw new CommandError(`${key} is ${JSON.stringify(json[key])}: must be 0x and 40 hex digits`)
}

function requireSame(name: string, { found, expected }: { found: string; expected: string }): void {
  if (found.toLowerCase() === expected.toLowerCase()) return
  throw new CommandError(`${name} is ${found}, but the terms make it ${expected}: nothing was signed`)
}
