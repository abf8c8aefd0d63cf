import type { Address, ChainFamilyName } from './address.ts'
import { allocate, type Split } from './allocation.ts'
import { CHAIN_FAMILIES } from './chain-families/chain-families.ts'
import type { ChargeRecord } from './charge.ts'
import { predictSafeAddress } from './escrow-address.ts'
import { REGISTRY } from './network-registry.ts'
import { type Environment, pairKey } from './networks.ts'
import { HUNDRED_PERCENT, type Percent, parsePercent, percent, SPLIT_FRACTION_DIGITS } from './percent.ts'
import { chargeSalt, type SplitDeployment } from './split-address.ts'

/** The terms that one configuration of the service, current or former, gives to its charges. */
export type ServiceTerms = {
  readonly family: ChainFamilyName
  readonly environment: Environment
  readonly factory: Address
  readonly treasury: Address
  readonly feePercent: Percent
  /** Surcharge that is added to the fee of an escrow charge. */
  readonly escrowFeePercent: Percent
  readonly distributorFeePercent: Percent
}

/** Stored facts that limit the payees of a charge. Except for the registered recipients, only operators write them. */
export type PayeeFacts = {
  /**
   * The key's payout address in the charge's family. `null` if the key does not belong to the charge's organization
   * and environment, or has no such address.
   */
  readonly payoutAddress: Address | null
  /** Current and former custom fees of the organization. */
  readonly ownFees: readonly Percent[]
  /** Current and former custom escrow surcharges of the organization. */
  readonly ownEscrowFees: readonly Percent[]
  /** Number of the charge's split recipients that are not registered. */
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
 * Recomputes a charge's terms, and returns their problem, or `null` if there is none. Pure.
 *
 * An attacker who controls the API can write charges with a foreign address that holds money, with their own factory,
 * with themselves among the payees, or with a changed fee. Terms are therefore trusted only if they follow from the
 * key's payout address, the registered recipients and a configuration of the service.
 */
export function findTermsProblem(
  charge: Terms,
  evidence: PayeeFacts,
  believed: readonly ServiceTerms[],
): string | null {
  if (evidence.payoutAddress === null)
    return 'its key does not belong to its organization and environment, or has no payout address in its family'
  if (evidence.unregistered > 0) return `${evidence.unregistered} of its recipients are not registered`
  return (
    findPairProblem(charge) ??
    findAddressProblem(charge) ??
    findAllocationProblem(charge, evidence.payoutAddress, { evidence, believed })
  )
}

/** In another family, the twenty bytes of a charge's address belong to an account that is not our split. */
function findPairProblem({ family, acceptedPayments }: Terms): string | null {
  const foreign = acceptedPayments.find(({ network }) => REGISTRY[network].family !== family)
  return foreign === undefined
    ? null
    : `it accepts ${pairKey(foreign)}, whose family differs from its address’s family`
}

type AddressTerms = Pick<Terms, 'id' | 'family' | 'splitTerms' | 'splitAddress' | 'address' | 'escrow'>

/**
 * Returns why the charge's addresses do not commit to its terms, or `null` if they do. Does not check whether the terms
 * pay the merchant. Pure.
 */
export function findAddressProblem(charge: AddressTerms): string | null {
  const { id, family, splitTerms, splitAddress, address, escrow } = charge
  const salt = chargeSalt(id)
  const predicted = predict(family, { factory: splitTerms.factory, split: splitTerms, salt })
  if (predicted === null) return `its factory ${splitTerms.factory} is unknown`
  if (predicted !== splitAddress) return `its split address ${splitAddress} does not match its terms`
  const payable =
    escrow === null ? splitAddress : predictSafeAddress({ releaser: escrow.releaserAddress, saltNonce: salt })
  return payable === address ? null : `its address ${address} does not match its terms`
}

/** Returns `null` for an unknown factory, and `none` for terms that the contract would reject. */
function predict(family: ChainFamilyName, place: SplitDeployment): Address | 'none' | null {
  try {
    return CHAIN_FAMILIES[family].predictSplit(place)
  } catch {
    return 'none'
  }
}

function findAllocationProblem(
  charge: Terms,
  merchant: Address,
  { evidence, believed }: { readonly evidence: PayeeFacts; readonly believed: readonly ServiceTerms[] },
): string | null {
  const splitRecipients = charge.splitRecipients.flatMap(({ address, percentText }) => {
    const share = parsePercent(percentText, { maxFractionDigits: SPLIT_FRACTION_DIGITS })
    return share === null ? [] : [{ address, percent: share }]
  })
  if (splitRecipients.length !== charge.splitRecipients.length) return 'the percent of a recipient is invalid'
  const isTrusted = believed.some((service) => {
    const { factory, treasury, distributorFeePercent } = service
    const { feePercent, splitTerms } = charge
    // In another family or environment, the same twenty bytes are not the payee's account, and the money is lost.
    const isThere = service.family === charge.family && service.environment === charge.environment
    if (!isThere || factory !== splitTerms.factory || !isServiceFee(charge, service, evidence)) return false
    const terms = { feePercent, distributorFeePercent, merchant, treasury, splitRecipients }
    const allocation = allocate(terms)
    return allocation.ok && isSameSplit(allocation.split, charge.splitTerms)
  })
  return isTrusted ? null : 'its shares match no configuration of the service'
}

function isServiceFee(
  { feePercent, escrowFeePercent, escrow }: Terms,
  service: ServiceTerms,
  { ownFees, ownEscrowFees }: PayeeFacts,
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
