import { type Address, checksum, type Hex, parseEvmAddress } from '../../shared/domain/address.ts'
import { allocate, type Split, TOTAL_ALLOCATION } from '../../shared/domain/allocation.ts'
import { formatDecimal } from '../../shared/domain/decimal.ts'
import { predictSafeAddress, SAFE_CONTRACTS } from '../../shared/domain/escrow-address.ts'
import { parsePercent, SPLIT_FRACTION_DIGITS } from '../../shared/domain/percent.ts'
import {
  chargeSalt,
  predictSplitAddress,
  SPLIT_FACTORY,
  SPLIT_IMPLEMENTATION,
} from '../../shared/domain/split-address.ts'
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
 * @throws {AddressMismatch} naming what differs
 * @see decisions 1.7, 3.1; docs/contracts.md
 */
export function checkAddress(charge: CheckedCharge): readonly Payee[] {
  const { addressTerms: terms } = charge
  requireKnown('addressTerms.factory', terms.factory, SPLIT_FACTORY)
  requireSame('addressTerms.salt', terms.salt, { expected: chargeSalt(charge.id), of: 'the id' })
  const split = readSplit(terms)
  const splitAddress = predict(split, terms.salt as Hex)
  requireSame('addressTerms.splitAddress', terms.splitAddress, {
    expected: checksum(splitAddress),
    of: 'the terms',
  })
  const payTo = terms.safe === null ? splitAddress : checkSafe(charge, terms.safe)
  requireSame('address', charge.address, { expected: checksum(payTo), of: 'the terms' })
  requirePromisedShares(charge, split)
  return payeesOf(charge, split)
}

type Terms = Schema<'AddressTerms'>

function readSplit(terms: Terms): Split {
  return {
    recipients: terms.recipients.map(({ address }, index) =>
      requireAddress(`addressTerms.recipients[${index}].address`, address),
    ),
    allocations: terms.recipients.map(({ allocation }) => allocation),
    totalAllocation: terms.totalAllocation,
    distributionIncentive: terms.distributionIncentive,
  }
}

function predict(split: Split, salt: Hex): Address {
  try {
    return predictSplitAddress({
      factory: SPLIT_FACTORY,
      implementation: SPLIT_IMPLEMENTATION,
      split,
      salt,
    })
  } catch (error) {
    throw new AddressMismatch(`the terms are none that can be deployed: ${(error as Error).message}`)
  }
}

/** The custody contract must be one whose code and owner leave nobody but the releaser anything to say. */
function checkSafe({ id, escrow }: CheckedCharge, safe: NonNullable<Terms['safe']>): Address {
  requireKnown('addressTerms.safe.singleton', safe.singleton, SAFE_CONTRACTS.singleton)
  requireKnown('addressTerms.safe.proxyFactory', safe.proxyFactory, SAFE_CONTRACTS.proxyFactory)
  requireKnown('addressTerms.safe.fallbackHandler', safe.fallbackHandler, SAFE_CONTRACTS.fallbackHandler)
  const owner = requireAddress('addressTerms.safe.owner', safe.owner)
  const releaser = escrow?.releaserAddress ?? 'nobody: the charge has no escrow'
  requireSame('addressTerms.safe.owner', safe.owner, { expected: releaser, of: 'escrow.releaserAddress' })
  return predictSafeAddress({ releaser: owner, saltNonce: chargeSalt(id) })
}

/** The frozen shares must be those that the charge's own percents make (decisions 1.7). */
function requirePromisedShares({ feePercent, splitRecipients }: CheckedCharge, split: Split): void {
  const [merchant, treasury] = [split.recipients[0], split.recipients.at(-1)]
  if (merchant === undefined || treasury === undefined) throw new AddressMismatch('the terms pay nobody')
  const promised = allocate({
    feePercent: readPercent('feePercent', feePercent),
    distributorFeePercent: readPercent('the incentive', incentiveOf(split)),
    merchant,
    treasury,
    splitRecipients: splitRecipients.map(({ address, percent }, index) => ({
      address: requireAddress(`splitRecipients[${index}].address`, address),
      percent: readPercent(`splitRecipients[${index}].percent`, percent),
    })),
  })
  if (!promised.ok || spell(promised.split) !== spell(split)) {
    throw new AddressMismatch(
      `the address pays ${spell(split)}, but feePercent and splitRecipients promise ${promised.ok ? spell(promised.split) : 'more than there is'}`,
    )
  }
}

function payeesOf({ splitRecipients }: CheckedCharge, split: Split): readonly Payee[] {
  const left = BigInt(TOTAL_ALLOCATION - split.distributionIncentive)
  const first = split.recipients.length - splitRecipients.length > 0 ? 1 : 0
  const recipients = split.recipients.map((address, index) => ({
    who: nameOf(index - first, splitRecipients),
    address: checksum(address),
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

function spell({ recipients, allocations }: Split): string {
  return recipients.map((address, index) => `${checksum(address)} ${allocations[index]}`).join(', ')
}

function readPercent(name: string, percent: number | string) {
  const parsed = parsePercent(String(percent), { maxFractionDigits: SPLIT_FRACTION_DIGITS })
  if (parsed === null) throw new AddressMismatch(`${name} is ${percent}, which is no percentage`)
  return parsed
}

function requireAddress(name: string, text: string): Address {
  const address = parseEvmAddress(text)
  if (address === null) throw new AddressMismatch(`${name} is ${JSON.stringify(text)}, no EVM address`)
  return address
}

/** Other code at these places could pay anybody. */
function requireKnown(name: string, text: string, known: Address): void {
  if (parseEvmAddress(text) === known) return
  throw new AddressMismatch(
    `${name} is ${JSON.stringify(text)}; the only code that this program can vouch for is at ${checksum(known)}`,
  )
}

function requireSame(name: string, text: string, { expected, of }: { expected: string; of: string }): void {
  if (text.toLowerCase() === expected.toLowerCase()) return
  throw new AddressMismatch(`${name} is ${JSON.stringify(text)}, but by ${of} it is ${expected}`)
}
