import type { Address, AddressFamily } from './address.ts'
import { allocate, type Split } from './allocation.ts'
import type { ChargeRecord } from './charge.ts'
import { predictSafeAddress } from './escrow-address.ts'
import { FAMILIES } from './families/families.ts'
import { REGISTRY } from './network-registry.ts'
import { type Environment, pairKey } from './networks.ts'
import { HUNDRED_PERCENT, type Percent, parsePercent, percent, SPLIT_FRACTION_DIGITS } from './percent.ts'
import { chargeSalt, type SplitPlace } from './split-address.ts'

/** What the service's part of a charge can be: one configuration that a daemon runs with, or has run with. */
export type ServiceTerms = {
  readonly family: AddressFamily
  readonly environment: Environment
  readonly factory: Address
  readonly treasury: Address
  readonly feePercent: Percent
  /** Added on an escrow charge. */
  readonly escrowFeePercent: Percent
  readonly distributorFeePercent: Percent
}

/** What is known of a charge's payees from rows that only operators write, and from the registered recipients. */
export type TermsEvidence = {
  /** Of its key, in the charge's family; `null` if it has no key of its organization and environment, or that has none. */
  readonly payoutAddress: Address | null
  /** Fees that its organization has, or had, of its own. */
  readonly ownFees: readonly Percent[]
  /** Surcharges on escrow charges, likewise. */
  readonly ownEscrowFees: readonly Percent[]
  /** How many of its split recipients are not registered. */
  readonly unregistered: number
}

type Terms = Pick<
  ChargeRecord,
  | 'id'
  | 'environment'
  | 'family'
  | 'acceptedPayments'
  | 'address'
  | 'splitAddress'
  | 'splitTerms'
  | 'splitRecipients'
  | 'feePercent'
  | 'escrowFeePercent'
  | 'escrow'
>

/**
 * Computes a charge's terms again and answers what is wrong with them, or `null`.
 *
 * Pure. A charge is written by the API, and whoever breaks into it writes charges too: of an address with money on it
 * that is not ours, with a factory of his own, with himself among the payees, with another fee. Believed is only what
 * follows from the key's payout address, the registered recipients and a configuration of the service.
 */
export function findTermsProblem(
  charge: Terms,
  evidence: TermsEvidence,
  believed: readonly ServiceTerms[],
): string | null {
  if (evidence.payoutAddress === null)
    return 'its key is none of its organization and environment, or pays nobody in its family'
  if (evidence.unregistered > 0) return `${evidence.unregistered} of its recipients are not registered`
  return (
    findPairProblem(charge) ??
    findAddressProblem(charge) ??
    findAllocationProblem(charge, evidence.payoutAddress, { evidence, believed })
  )
}

/** The same twenty bytes are another account in another family, where our split is not. */
function findPairProblem({ family, acceptedPayments }: Terms): string | null {
  const foreign = acceptedPayments.find(({ network }) => REGISTRY[network].family !== family)
  return foreign === undefined
    ? null
    : `it accepts ${pairKey(foreign)}, which is of another family than its address`
}

function findAddressProblem(charge: Terms): string | null {
  const { id, family, splitTerms, splitAddress, address, escrow } = charge
  const salt = chargeSalt(id)
  const predicted = predict(family, { factory: splitTerms.factory, split: splitTerms, salt })
  if (predicted === null) return `its factory ${splitTerms.factory} is none of ours`
  if (predicted !== splitAddress) return `its split address ${splitAddress} is not that of its terms`
  const payable =
    escrow === null ? splitAddress : predictSafeAddress({ releaser: escrow.releaserAddress, saltNonce: salt })
  return payable === address ? null : `its address ${address} is not that of its terms`
}

/** `null` for a factory that is none of ours; `none` for terms that the contract would not take. */
function predict(family: AddressFamily, place: SplitPlace): Address | 'none' | null {
  try {
    return FAMILIES[family].predictSplit(place)
  } catch {
    return 'none'
  }
}

function findAllocationProblem(
  charge: Terms,
  merchant: Address,
  { evidence, believed }: { readonly evidence: TermsEvidence; readonly believed: readonly ServiceTerms[] },
): string | null {
  const splitRecipients = charge.splitRecipients.flatMap(({ address, percentText }) => {
    const share = parsePercent(percentText, { maxFractionDigits: SPLIT_FRACTION_DIGITS })
    return share === null ? [] : [{ address, percent: share }]
  })
  if (splitRecipients.length !== charge.splitRecipients.length) return 'a recipient’s percent is none'
  const isBelieved = believed.some((service) => {
    const { factory, treasury, distributorFeePercent } = service
    const { feePercent, splitTerms } = charge
    // Elsewhere the same twenty bytes are nobody's, and money sent there is lost.
    const isThere = service.family === charge.family && service.environment === charge.environment
    if (!isThere || factory !== splitTerms.factory || !isFeeOf(charge, service, evidence)) return false
    const terms = { feePercent, distributorFeePercent, merchant, treasury, splitRecipients }
    const allocation = allocate(terms)
    return allocation.ok && isSameSplit(allocation.split, charge.splitTerms)
  })
  return isBelieved ? null : 'its shares follow from no configuration of the service'
}

function isFeeOf(
  { feePercent, escrowFeePercent, escrow }: Terms,
  service: ServiceTerms,
  { ownFees, ownEscrowFees }: TermsEvidence,
): boolean {
  if ((escrow === null) !== (escrowFeePercent === null)) return false
  if (escrowFeePercent !== null && ![service.escrowFeePercent, ...ownEscrowFees].includes(escrowFeePercent))
    return false
  const fee = percent(feePercent - (escrowFeePercent ?? 0n))
  return feePercent < HUNDRED_PERCENT && (fee === service.feePercent || ownFees.includes(fee))
}

function isSameSplit(one: Split, other: Split): boolean {
  return (
    isSameList(one.recipients, other.recipients) &&
    isSameList(one.allocations, other.allocations) &&
    one.totalAllocation === other.totalAllocation &&
    one.distributionIncentive === other.distributionIncentive
  )
}

function isSameList(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((value, index) => value === other[index])
}
