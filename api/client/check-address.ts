import type { Address, AddressFamily, Hex } from '../../shared/domain/address.ts'
import { allocate, type Split, TOTAL_ALLOCATION } from '../../shared/domain/allocation.ts'
import { formatDecimal } from '../../shared/domain/decimal.ts'
import { predictSafeAddress, SAFE_CONTRACTS } from '../../shared/domain/escrow-address.ts'
import { addressFamily, FAMILIES, presentAddress } from '../../shared/domain/families/families.ts'
import { parsePercent, SPLIT_FRACTION_DIGITS } from '../../shared/domain/percent.ts'
import { chargeSalt } from '../../shared/domain/split-address.ts'
import type { Schema } from './schema.ts'

type Charge = Schema<'Charge'>

/**
 * What the check needs of a charge: the API's own JSON, with its percents as the text spells them, which
 * `readCheckedCharge` makes of it. As a number a percent is only as exact as a double, which may be another.
 */
export type CheckedCharge = Pick<Charge, 'id' | 'address' | 'addressTerms' | 'escrow'> & {
  readonly feePercent: number | string
  readonly splitRecipients: readonly (Omit<Charge['splitRecipients'][number], 'percent'> & {
    readonly percent: number | string
  })[]
}

/** Who is paid what part of whatever comes to the address. */
export type Payee = { readonly who: string; readonly address: string; readonly percent: string }

/** The terms are not those of the address, or no terms at all; the message says which. */
export class AddressMismatch extends Error {}

/**
 * Answers whom a charge's address really pays, computed from its terms alone, without asking anybody.
 *
 * The address commits to all of them: a changed recipient, share, factory or salt is another address.
 *
 * @param known.factory - the factory whose code the caller can vouch for, in a family where no address is known of it
 * @throws {AddressMismatch} naming what differs
 * @see decisions 1.7, 3.1; docs/contracts.md
 */
export function checkAddress(
  charge: CheckedCharge,
  known: { readonly factory?: string | undefined } = {},
): readonly Payee[] {
  const { addressTerms: terms } = charge
  const family = familyOf(terms)
  const factory = knownFactory(family, known.factory)
  requireKnown('addressTerms.factory', terms.factory, { known: factory, family })
  const salt = chargeSalt(charge.id)
  if (terms.salt.toLowerCase() !== salt)
    throw new AddressMismatch(
      `addressTerms.salt is ${JSON.stringify(terms.salt)}, but by the id it is ${salt}`,
    )
  const split = readSplit(terms, family)
  const splitAddress = predict(family, { factory, split, salt })
  requireSame('addressTerms.splitAddress', terms.splitAddress, {
    expected: presentAddress(splitAddress, family),
    of: 'the terms',
  })
  const payTo = terms.safe === null ? splitAddress : checkSafe(charge, { safe: terms.safe, family })
  requireSame('address', charge.address, { expected: presentAddress(payTo, family), of: 'the terms' })
  requirePromisedShares(charge, { split, family })
  return payeesOf(charge, { split, family })
}

type Terms = Schema<'AddressTerms'>

function familyOf({ splitAddress }: Terms): AddressFamily {
  const family = addressFamily(splitAddress)
  if (family !== null) return family
  throw new AddressMismatch(`addressTerms.splitAddress is ${JSON.stringify(splitAddress)}, no address`)
}

function knownFactory(family: AddressFamily, text: string | undefined): Address {
  const { fixedFactory, parseAddress } = FAMILIES[family]
  const factory = fixedFactory ?? (text === undefined ? null : parseAddress(text))
  if (factory !== null) return factory
  throw new AddressMismatch(
    `on ${family} no factory is at an address that is known everywhere; name the one whose code you can vouch for (--factory)`,
  )
}

function readSplit(terms: Terms, family: AddressFamily): Split {
  return {
    recipients: terms.recipients.map(({ address }, index) =>
      requireAddress(`addressTerms.recipients[${index}].address`, address, family),
    ),
    allocations: terms.recipients.map(({ allocation }) => allocation),
    totalAllocation: terms.totalAllocation,
    distributionIncentive: terms.distributionIncentive,
  }
}

function predict(family: AddressFamily, place: { factory: Address; split: Split; salt: Hex }): Address {
  try {
    const address = FAMILIES[family].predictSplit(place)
    if (address !== null) return address
  } catch (error) {
    throw new AddressMismatch(`the terms are none that can be deployed: ${(error as Error).message}`)
  }
  throw new AddressMismatch(`no code of ours is behind the factory ${presentAddress(place.factory, family)}`)
}

/** The custody contract must be one whose code and owner leave nobody but the releaser anything to say. */
function checkSafe(
  { id, escrow }: CheckedCharge,
  { safe, family }: { readonly safe: NonNullable<Terms['safe']>; readonly family: AddressFamily },
): Address {
  for (const name of ['singleton', 'proxyFactory', 'fallbackHandler'] as const)
    requireKnown(`addressTerms.safe.${name}`, safe[name], { known: SAFE_CONTRACTS[name], family })
  const owner = requireAddress('addressTerms.safe.owner', safe.owner, family)
  const releaser = escrow?.releaserAddress ?? 'nobody: the charge has no escrow'
  requireSame('addressTerms.safe.owner', safe.owner, { expected: releaser, of: 'escrow.releaserAddress' })
  return predictSafeAddress({ releaser: owner, saltNonce: chargeSalt(id) })
}

/** The frozen shares must be those that the charge's own percents make (decisions 1.7). */
function requirePromisedShares(
  { feePercent, splitRecipients }: CheckedCharge,
  { split, family }: { readonly split: Split; readonly family: AddressFamily },
): void {
  const [merchant, treasury] = [split.recipients[0], split.recipients.at(-1)]
  if (merchant === undefined || treasury === undefined) throw new AddressMismatch('the terms pay nobody')
  const promised = allocate({
    feePercent: readPercent('feePercent', feePercent),
    distributorFeePercent: readPercent('the incentive', incentiveOf(split)),
    merchant,
    treasury,
    splitRecipients: splitRecipients.map(({ address, percent }, index) => ({
      address: requireAddress(`splitRecipients[${index}].address`, address, family),
      percent: readPercent(`splitRecipients[${index}].percent`, percent),
    })),
  })
  const spell = (one: Split) => spellOf(one, family)
  if (!promised.ok || spell(promised.split) !== spell(split)) {
    throw new AddressMismatch(
      `the address pays ${spell(split)}, but feePercent and splitRecipients promise ${promised.ok ? spell(promised.split) : 'more than there is'}`,
    )
  }
}

function payeesOf(
  { splitRecipients }: CheckedCharge,
  { split, family }: { readonly split: Split; readonly family: AddressFamily },
): readonly Payee[] {
  const left = BigInt(TOTAL_ALLOCATION - split.distributionIncentive)
  const first = split.recipients.length - splitRecipients.length > 0 ? 1 : 0
  const recipients = split.recipients.map((address, index) => ({
    who: nameOf(index - first, splitRecipients),
    address: presentAddress(address, family),
    // Of the whole: millionths of the millionths that the incentive leaves, as a percentage.
    percent: formatDecimal(BigInt(split.allocations[index] ?? 0) * left, 10),
  }))
  return [...recipients, { who: 'whoever distributes', address: 'anyone', percent: incentiveOf(split) }]
}

/** In percent of the whole; the contract counts millionths. */
function incentiveOf({ distributionIncentive }: Split): string {
  return formatDecimal(BigInt(distributionIncentive), 4)
}

function nameOf(index: number, splitRecipients: CheckedCharge['splitRecipients']): string {
  if (index < 0) return 'the merchant'
  const recipient = splitRecipients[index]
  if (recipient === undefined) return "the service's fee"
  return recipient.label === undefined ? 'a recipient' : `a recipient: ${recipient.label}`
}

function spellOf({ recipients, allocations }: Split, family: AddressFamily): string {
  return recipients
    .map((address, index) => `${presentAddress(address, family)} ${allocations[index]}`)
    .join(', ')
}

function readPercent(name: string, percent: number | string) {
  const parsed = parsePercent(String(percent), { maxFractionDigits: SPLIT_FRACTION_DIGITS })
  if (parsed === null) throw new AddressMismatch(`${name} is ${percent}, which is no percentage`)
  return parsed
}

function requireAddress(name: string, text: string, family: AddressFamily): Address {
  const address = FAMILIES[family].parseAddress(text)
  if (address !== null) return address
  throw new AddressMismatch(`${name} is ${JSON.stringify(text)}: must be ${FAMILIES[family].addressForm}`)
}

/** Other code at these places could pay anybody. */
function requireKnown(
  name: string,
  text: string,
  { known, family }: { readonly known: Address; readonly family: AddressFamily },
): void {
  if (FAMILIES[family].parseAddress(text) === known) return
  throw new AddressMismatch(
    `${name} is ${JSON.stringify(text)}; the only code that this program can vouch for is at ${presentAddress(known, family)}`,
  )
}

/** As one address may be written in more ways than one. */
function requireSame(name: string, text: string, { expected, of }: { expected: string; of: string }): void {
  const family = addressFamily(expected)
  const isSame =
    family !== null && FAMILIES[family].parseAddress(text) === FAMILIES[family].parseAddress(expected)
  if (isSame) return
  throw new AddressMismatch(`${name} is ${JSON.stringify(text)}, but by ${of} it is ${expected}`)
}
