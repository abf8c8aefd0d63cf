import { readFileSync } from 'node:fs'
import type { ChargeTerms } from '../../shared/db/charges/daemon/charge-terms.ts'
import type { Address, ChainFamilyName } from '../../shared/domain/address.ts'
import {
  CHAIN_FAMILIES,
  findAddressFamily,
  presentAddress,
} from '../../shared/domain/chain-families/chain-families.ts'
import { predictSafeAddress, SAFE_CONTRACTS } from '../../shared/domain/escrow-address.ts'
import { chargeSalt } from '../../shared/domain/split-address.ts'
import { CommandError } from '../../shared/runtime/command-line.ts'

const STANDARD_INPUT = 0

/**
 * Far above the size of a charge, which has at most 16 KiB of metadata and a few kilobytes of other data, and of a
 * webhook body, which is slightly larger.
 */
const MAX_BYTES = 1_000_000

export type Json = { readonly [key: string]: unknown }

/**
 * Reads a charge's terms from an API response or a webhook body, without the database.
 *
 * Trusts only the environment, and data to which the charge's addresses commit. Recomputes the Safe's address. The
 * caller must recompute the split's address with {@link requireKnownFactory} before it uses the terms.
 *
 * @param file - path, or `-` for standard input
 * @throws {CommandError} if the file cannot be read or is not a charge, or if a member is missing or differs from the
 * recomputed value; the message then names the member
 */
export function readChargeFile(file: string): ChargeTerms {
  return parseTerms(readCharge(file))
}

/**
 * Reads a charge's JSON: the charge itself, or the `data` of a webhook body.
 *
 * @throws {CommandError} if the file cannot be read or is not a charge
 */
export function readCharge(file: string): Json {
  return chargeOf(readJson(file))
}

/**
 * Extracts a charge's terms, and checks its salt and the address that payers pay. Does not recompute the address of the
 * split; see {@link requireKnownFactory}.
 *
 * @throws {CommandError} if a member is missing or differs from the recomputed value; the message names the member
 */
export function parseTerms(charge: Json): ChargeTerms {
  const terms = objectAt(charge, 'addressTerms')
  const id = getText(charge, 'id')
  requireSame('addressTerms.salt', { found: getText(terms, 'salt').toLowerCase(), expected: chargeSalt(id) })
  const family = familyAt(terms, 'splitAddress')
  const splitAddress = getAddress(terms, 'splitAddress', family)
  const releaser = terms['safe'] === null ? null : safeOwnerOf(objectAt(terms, 'safe'), family)
  const address = getAddress(charge, 'address', family)
  const paidAt =
    releaser === null ? splitAddress : predictSafeAddress({ releaser, saltNonce: chargeSalt(id) })
  requireSame('address', {
    found: presentAddress(address, family),
    expected: presentAddress(paidAt, family),
  })
  return {
    ...{ id, family, address, splitAddress, escrowReleaser: releaser },
    environment: environmentOf(charge),
    splitTerms: { ...splitOf(terms, family), factory: getAddress(terms, 'factory', family) },
  }
}

/**
 * Throws {@link CommandError} unless our factory derives the split address from the terms. A split at any other address
 * holds no money of this charge, and deploying it would waste gas.
 *
 * If a family has no fixed factory, only the deployed code identifies our factory. `checkContracts` compares that code.
 */
export function requireKnownFactory({ id, family, splitAddress, splitTerms }: ChargeTerms): void {
  const { fixedFactory } = CHAIN_FAMILIES[family]
  if (fixedFactory !== null && splitTerms.factory !== fixedFactory)
    throw new CommandError(`the factory is ${splitTerms.factory}; only ${fixedFactory} is supported`)
  const predicted = predict({ id, family, splitTerms })
  if (predicted === splitAddress) return
  const [derived, given] = [predicted, splitAddress].map((address) => presentAddress(address, family))
  throw new CommandError(`the split is ${given}, but the terms derive ${derived}: no transaction was signed`)
}

function predict({ id, family, splitTerms }: Pick<ChargeTerms, 'id' | 'family' | 'splitTerms'>): Address {
  const { factory, ...split } = splitTerms
  try {
    const address = CHAIN_FAMILIES[family].predictSplit({ factory, split, salt: chargeSalt(id) })
    if (address !== null) return address
  } catch (error) {
    throw new CommandError(`the terms cannot be deployed: ${(error as Error).message}`)
  }
  throw new CommandError(`the factory ${presentAddress(factory, family)} is unknown`)
}

function readJson(file: string): unknown {
  try {
    const bytes = readFileSync(file === '-' ? STANDARD_INPUT : file)
    if (bytes.length <= MAX_BYTES) return JSON.parse(bytes.toString()) as unknown
  } catch (error) {
    throw new CommandError(`the charge file ${file} cannot be read as JSON: ${(error as Error).message}`)
  }
  throw new CommandError(`the charge file ${file} is larger than ${MAX_BYTES} bytes`)
}

function chargeOf(json: unknown): Json {
  if (isObject(json) && isObject(json['addressTerms'])) return json
  if (isObject(json) && isObject(json['data']) && isObject(json['data']['addressTerms'])) return json['data']
  throw new CommandError(
    'the charge file is not a charge: neither the JSON nor its `data` member has addressTerms',
  )
}

/** Throws if the Safe uses unknown contracts, because any account might then own the Safe. */
function safeOwnerOf(safe: Json, family: ChainFamilyName): Address {
  if (!CHAIN_FAMILIES[family].hasEscrow)
    throw new CommandError('addressTerms.safe is set: must be null on a network without escrow')
  for (const name of ['singleton', 'proxyFactory', 'fallbackHandler'] as const) {
    requireSame(`addressTerms.safe.${name}`, {
      found: getAddress(safe, name, family),
      expected: SAFE_CONTRACTS[name],
    })
  }
  return getAddress(safe, 'owner', family)
}

function environmentOf(charge: Json): ChargeTerms['environment'] {
  const environment = getText(charge, 'environment')
  if (environment === 'live' || environment === 'test') return environment
  throw new CommandError(`environment is ${JSON.stringify(environment)}: must be live or test`)
}

function splitOf(terms: Json, family: ChainFamilyName) {
  const recipients = terms['recipients']
  if (!Array.isArray(recipients) || !recipients.every(isObject))
    throw new CommandError('addressTerms.recipients must be a list of recipients')
  return {
    recipients: recipients.map((recipient) => getAddress(recipient, 'address', family)),
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

/** @throws {CommandError} if the member is not a string */
export function getText(json: Json, key: string): string {
  const value = json[key]
  if (typeof value === 'string') return value
  throw new CommandError(`${key} is ${JSON.stringify(value)}: must be a string`)
}

function wholeNumberAt(json: Json, key: string): number {
  const value = getNumber(json, key)
  if (Number.isSafeInteger(value)) return value
  throw new CommandError(`${key} is ${JSON.stringify(value)}: must be a whole number`)
}

/** @throws {CommandError} if the member is not a number */
export function getNumber(json: Json, key: string): number {
  const value = json[key]
  if (typeof value === 'number') return value
  throw new CommandError(`${key} is ${JSON.stringify(value)}: must be a number`)
}

/**
 * Returns a string member, or `null` if the member is missing or `null`.
 *
 * @throws {CommandError} if the member has another type
 */
export function findText(json: Json, key: string): string | null {
  return json[key] === undefined || json[key] === null ? null : getText(json, key)
}

/** @throws {CommandError} if the member is not a list of objects */
export function getList(json: Json, key: string): readonly Json[] {
  const value = json[key]
  if (Array.isArray(value) && value.every(isObject)) return value
  throw new CommandError(`${key} must be a list of objects`)
}

/** @throws {CommandError} if the member is not an address of this family */
export function getAddress(json: Json, key: string, family: ChainFamilyName): Address {
  const { parseAddress, addressForm } = CHAIN_FAMILIES[family]
  const address = parseAddress(getText(json, key))
  if (address !== null) return address
  throw new CommandError(`${key} is ${JSON.stringify(json[key])}: must be ${addressForm}`)
}

function familyAt(json: Json, key: string): ChainFamilyName {
  const family = findAddressFamily(getText(json, key))
  if (family !== null) return family
  throw new CommandError(`${key} is ${JSON.stringify(json[key])}: must be an address`)
}

function requireSame(name: string, { found, expected }: { found: string; expected: string }): void {
  if (found === expected) return
  throw new CommandError(`${name} is ${found}, but must be ${expected}: no transaction was signed`)
}
