import type { Address, ChainFamilyName, Hex } from '../../shared/domain/address.ts'
import { allocate, type Split, TOTAL_ALLOCATION } from '../../shared/domain/allocation.ts'
import {
  CHAIN_FAMILIES,
  findAddressFamily,
  presentAddress,
} from '../../shared/domain/chain-families/chain-families.ts'
import { formatDecimal } from '../../shared/domain/decimal.ts'
import { predictSafeAddress, SAFE_CONTRACTS } from '../../shared/domain/escrow-address.ts'
import { parsePercent, SPLIT_FRACTION_DIGITS } from '../../shared/domain/percent.ts'
import { chargeSalt } from '../../shared/domain/split-address.ts'
import type { Schema } from './schema.ts'

type Charge = Schema<'Charge'>

/**
 * The fields that the check reads. Percents should keep the spelling of the API's JSON (`readCheckedCharge`): a percent
 * parsed as a number is rounded to a double, which might be another percent.
 */
export type CheckedCharge = Pick<Charge, 'id' | 'address' | 'addressTerms' | 'escrow'> & {
  readonly feePercent: number | string
  readonly splitRecipients: readonly (Omit<Charge['splitRecipients'][number], 'percent'> & {
    readonly percent: number | string
  })[]
}

/** A payee and its share of every payment to the address. */
export type Payee = { readonly who: string; readonly address: string; readonly percent: string }

/** Thrown if the terms are invalid or do not match the address. The message names the difference. */
export class AddressMismatch extends Error {}

/**
 * Returns the payees of a charge's address, computed only from the charge's terms and without any request.
 *
 * The address commits to all terms: changing a recipient, share, factory or salt changes the address.
 *
 * @param known.factory - trusted factory, for a family without a fixed factory address
 * @throws {AddressMismatch}
 * @see decisions 1.7, 3.1; docs/contracts.md
 */
export function checkAddress(
  charge: CheckedCharge,
  known: { readonly factory?: string | undefined } = {},
): readonly Payee[] {
  requireReleaser(charge)
  const { split, family } = checkTerms(charge, known)
  requirePromisedShares(charge, { split, family })
  return listPayees(charge, { split, family })
}

/** The fields from which a charge's address is computed. */
export type ChargeTerms = Pick<Charge, 'id' | 'address' | 'addressTerms'>

/** A charge's address and the values from which it was computed. */
export type CheckedTerms = {
  readonly family: ChainFamilyName
  /** A factory whose code is trusted. */
  readonly factory: Address
  readonly split: Split
  /** keccak256 of the charge's id. */
  readonly salt: Hex
  readonly splitAddress: Address
  /** The address to pay: the split, or the Safe of an escrow. */
  readonly address: Address
}

/**
 * Computes a charge's address from its id and its terms.
 *
 * @param known.factory - trusted factory, for a family without a fixed factory address
 * @throws {AddressMismatch}
 */
export function checkTerms(
  { id, address, addressTerms: terms }: ChargeTerms,
  known: { readonly factory?: string | undefined } = {},
): CheckedTerms {
  const family = getFamily(terms)
  const factory = getFactory(family, known.factory)
  requireKnown('addressTerms.factory', terms.factory, { known: factory, family })
  const salt = chargeSalt(id)
  if (terms.salt.toLowerCase() !== salt)
    throw new AddressMismatch(
      `addressTerms.salt is ${JSON.stringify(terms.salt)}, but for the charge's id it must be ${salt}`,
    )
  const split = readSplit(terms, family)
  const splitAddress = predict(family, { factory, split, salt })
  requireSame('addressTerms.splitAddress', terms.splitAddress, {
    expected: presentAddress(splitAddress, family),
    of: 'the terms',
  })
  const payTo = terms.safe === null ? splitAddress : predictSafe(id, { safe: terms.safe, family })
  requireSame('address', address, { expected: presentAddress(payTo, family), of: 'the terms' })
  return { family, factory, split, salt, splitAddress, address: payTo }
}

type Terms = Schema<'AddressTerms'>

function getFamily({ splitAddress }: Terms): ChainFamilyName {
  const family = findAddressFamily(splitAddress)
  if (family !== null) return family
  throw new AddressMismatch(`addressTerms.splitAddress is ${JSON.stringify(splitAddress)}, not an address`)
}

function getFactory(family: ChainFamilyName, text: string | undefined): Address {
  const { fixedFactory, parseAddress } = CHAIN_FAMILIES[family]
  const factory = fixedFactory ?? (text === undefined ? null : parseAddress(text))
  if (factory !== null) return factory
  throw new AddressMismatch(
    `${family} has no fixed factory address; pass the address of a factory whose code you trust (--factory)`,
  )
}

function readSplit(terms: Terms, family: ChainFamilyName): Split {
  return {
    recipients: terms.recipients.map(({ address }, index) =>
      requireAddress(`addressTerms.recipients[${index}].address`, address, family),
    ),
    allocations: terms.recipients.map(({ allocation }) => allocation),
    totalAllocation: terms.totalAllocation,
    distributionIncentive: terms.distributionIncentive,
  }
}

function predict(family: ChainFamilyName, place: { factory: Address; split: Split; salt: Hex }): Address {
  try {
    const address = CHAIN_FAMILIES[family].predictSplit(place)
    if (address !== null) return address
  } catch (error) {
    throw new AddressMismatch(`the terms cannot be deployed: ${(error as Error).message}`)
  }
  throw new AddressMismatch(
    `the factory ${presentAddress(place.factory, family)} does not have this release's code`,
  )
}

/** Returns the address of the escrow's Safe, which only its owner controls. */
function predictSafe(
  id: string,
  { safe, family }: { readonly safe: NonNullable<Terms['safe']>; readonly family: ChainFamilyName },
): Address {
  for (const name of ['singleton', 'proxyFactory', 'fallbackHandler'] as const)
    requireKnown(`addressTerms.safe.${name}`, safe[name], { known: SAFE_CONTRACTS[name], family })
  const owner = requireAddress('addressTerms.safe.owner', safe.owner, family)
  return predictSafeAddress({ releaser: owner, saltNonce: chargeSalt(id) })
}

/** Requires that the charge has no Safe and no escrow, or a Safe that the escrow's releaser owns. */
function requireReleaser({ addressTerms: { safe }, escrow }: CheckedCharge): void {
  if (safe === null && escrow === null) return
  if (safe === null)
    throw new AddressMismatch(
      'addressTerms.safe is null, but the charge has an escrow: its address would not hold the payments',
    )
  const releaser = escrow?.releaserAddress ?? 'absent: the charge has no escrow'
  requireSame('addressTerms.safe.owner', safe.owner, { expected: releaser, of: 'escrow.releaserAddress' })
}

/** Requires that the allocations in the terms match the percents that the charge shows (decisions 1.7). */
function requirePromisedShares(
  { feePercent, splitRecipients }: CheckedCharge,
  { split, family }: { readonly split: Split; readonly family: ChainFamilyName },
): void {
  const [merchant, treasury] = [split.recipients[0], split.recipients.at(-1)]
  if (merchant === undefined || treasury === undefined)
    throw new AddressMismatch('the terms have no recipients')
  const promised = allocate({
    feePercent: readPercent('feePercent', feePercent),
    distributorFeePercent: readPercent('the incentive', toIncentivePercent(split)),
    merchant,
    treasury,
    splitRecipients: splitRecipients.map(({ address, percent }, index) => ({
      address: requireAddress(`splitRecipients[${index}].address`, address, family),
      percent: readPercent(`splitRecipients[${index}].percent`, percent),
    })),
  })
  const spell = (one: Split) => formatSplit(one, family)
  if (!promised.ok || spell(promised.split) !== spell(split)) {
    throw new AddressMismatch(
      `the address pays ${spell(split)}, but feePercent and splitRecipients promise ${promised.ok ? spell(promised.split) : 'more than 100 %'}`,
    )
  }
}

function listPayees(
  { splitRecipients }: CheckedCharge,
  { split, family }: { readonly split: Split; readonly family: ChainFamilyName },
): readonly Payee[] {
  const left = BigInt(TOTAL_ALLOCATION - split.distributionIncentive)
  const first = split.recipients.length - splitRecipients.length > 0 ? 1 : 0
  const recipients = split.recipients.map((address, index) => ({
    who: getPayeeName(index - first, splitRecipients),
    address: presentAddress(address, family),
    // Percentage of the whole payment. An allocation counts millionths of the amount that is left after the incentive.
    percent: formatDecimal(BigInt(split.allocations[index] ?? 0) * left, 10),
  }))
  return [...recipients, { who: 'the distributor', address: 'anyone', percent: toIncentivePercent(split) }]
}

function toIncentivePercent({ distributionIncentive }: Split): string {
  return formatDecimal(BigInt(distributionIncentive), 4)
}

function getPayeeName(index: number, splitRecipients: CheckedCharge['splitRecipients']): string {
  if (index < 0) return 'the merchant'
  const recipient = splitRecipients[index]
  if (recipient === undefined) return "the service's fee"
  return recipient.label === undefined ? 'a recipient' : `a recipient: ${recipient.label}`
}

function formatSplit({ recipients, allocations }: Split, family: ChainFamilyName): string {
  return recipients
    .map((address, index) => `${presentAddress(address, family)} ${allocations[index]}`)
    .join(', ')
}

function readPercent(name: string, percent: number | string) {
  const parsed = parsePercent(String(percent), { maxFractionDigits: SPLIT_FRACTION_DIGITS })
  if (parsed === null) throw new AddressMismatch(`${name} is ${percent}, which is not a percentage`)
  return parsed
}

function requireAddress(name: string, text: string, family: ChainFamilyName): Address {
  const address = CHAIN_FAMILIES[family].parseAddress(text)
  if (address !== null) return address
  throw new AddressMismatch(
    `${name} is ${JSON.stringify(text)}: must be ${CHAIN_FAMILIES[family].addressForm}`,
  )
}

/** Requires an address whose code is trusted, because other code could pay any account. */
function requireKnown(
  name: string,
  text: string,
  { known, family }: { readonly known: Address; readonly family: ChainFamilyName },
): void {
  if (CHAIN_FAMILIES[family].parseAddress(text) === known) return
  throw new AddressMismatch(
    `${name} is ${JSON.stringify(text)}; the only trusted code is at ${presentAddress(known, family)}`,
  )
}

/** Compares parsed addresses, because one address can be written in several ways. */
function requireSame(name: string, text: string, { expected, of }: { expected: string; of: string }): void {
  const family = findAddressFamily(expected)
  const isSame =
    family !== null &&
    CHAIN_FAMILIES[family].parseAddress(text) === CHAIN_FAMILIES[family].parseAddress(expected)
  if (isSame) return
  throw new AddressMismatch(
    `${name} is ${JSON.stringify(text)}, but according to ${of} it must be ${expected}`,
  )
}
