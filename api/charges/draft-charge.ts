import type { Static } from '@sinclair/typebox'
import { type Address, type ChainFamilyName, parseEvmAddress } from '../../shared/domain/address.ts'
import { allocate } from '../../shared/domain/allocation.ts'
import { CHAIN_FAMILIES, PRIMARY_FAMILY } from '../../shared/domain/chain-families/chain-families.ts'
import type { ChargeRecord } from '../../shared/domain/charge.ts'
import { AppError, invariant } from '../../shared/domain/errors.ts'
import { predictSafeAddress } from '../../shared/domain/escrow-address.ts'
import { grossUp } from '../../shared/domain/fee.ts'
import { newId } from '../../shared/domain/ids.ts'
import { parseTargetAmount } from '../../shared/domain/money.ts'
import { REGISTRY } from '../../shared/domain/network-registry.ts'
import { FEE_FRACTION_DIGITS, type Percent, parsePercent } from '../../shared/domain/percent.ts'
import { chargeSalt } from '../../shared/domain/split-address.ts'
import type { ApiConfig } from '../../shared/runtime/api-config.ts'
import { requireTreasury } from '../../shared/runtime/process-config.ts'
import type { Request } from '../http/route.ts'
import { isSimulated } from '../networks/offered-pairs.ts'
import type { CreateChargeBody } from './schema.ts'

/** A valid request for a new charge. */
export type CreateChargeRequest = Request<unknown, Static<typeof CreateChargeBody>>

/** An entry of `splitRecipients`, with the address that the charge commits to. */
export type ResolvedSplit = {
  readonly recipientId: string
  readonly address: Address
  readonly percent: Percent
  /** The percentage as written in the request. */
  readonly percentText: string
  readonly label?: string
}

/**
 * Builds the requested charge with its final terms and address. Stores nothing.
 *
 * @throws {AppError} `split_recipients_exceed_available_percent`
 */
export function draftCharge(
  request: CreateChargeRequest,
  terms: {
    splits: readonly ResolvedSplit[]
    config: Pick<ApiConfig, 'fees' | 'treasury' | 'deployments' | 'splitFactories'>
  },
): ChargeRecord {
  const { key, body } = request
  const id = newId('ch', key.now.getTime())
  const { fees } = terms.config
  const escrowFeePercent = body.escrow ? getFee(key.escrowFeePercent, fees.escrowFeePercent) : null
  const feePercent = (getFee(key.feePercent, fees.feePercent) + (escrowFeePercent ?? 0n)) as Percent
  const releaser = getReleaser(request)
  const { splitAddress, ...split } = predictSplit(request, { ...terms, id, feePercent })
  return {
    ...initialState(key.now, body.expiresIn),
    ...split,
    splitAddress,
    // The same on all networks, because neither the split's nor the Safe's address depends on the chain.
    address: releaser === null ? splitAddress : predictSafeAddress({ releaser, saltNonce: chargeSalt(id) }),
    id,
    organizationId: key.organizationId,
    apiKeyId: key.id,
    environment: key.environment,
    isSimulated: isSimulated(terms.config, { ...body, environment: key.environment }),
    amountMicro: getTargetMicro(request, feePercent),
    feePayer: body.feePayer ?? 'merchant',
    feePercent,
    escrowFeePercent,
    acceptedPayments: body.acceptedPayments,
    splitRecipients: terms.splits.map(({ address, percentText, label }) => ({ address, percentText, label })),
    externalRef: body.externalRef ?? null,
    source: body.source ?? null,
    metadataText: request.sourceOf(body, 'metadata'),
    redirectUrl: body.redirectUrl ?? null,
    escrow:
      releaser === null
        ? null
        : { releaserAddress: releaser, releasedAt: null, refundedAt: null, pendingAction: null },
  }
}

/**
 * Throws if no charge can be paid out on the networks of the request. Call it before any payee is looked up.
 *
 * @throws {AppError} `token_not_supported`
 */
export function requirePayableFamily(
  { key, body }: CreateChargeRequest,
  { splitFactories }: Pick<ApiConfig, 'splitFactories'>,
): void {
  const family = getFamily(body)
  const hasFactory = splitFactories[key.environment][family] !== null
  if (CHAIN_FAMILIES[family].isPayable && hasFactory) return
  const reason = hasFactory ? 'yet' : `in ${key.environment}: no contracts are configured there`
  throw new AppError('token_not_supported', `${family} networks cannot be accepted ${reason}`, {
    param: 'acceptedPayments[0]',
  })
}

/**
 * Returns the address for the merchant's share of a new charge: the key's payout address in the family of its networks.
 *
 * @throws {AppError} `payout_address_missing`
 */
export function getPayoutAddress({ key, body }: Pick<CreateChargeRequest, 'key' | 'body'>): Address {
  const family = getFamily(body)
  const address = key.payoutAddresses[family]
  if (address !== undefined) return address
  const message = `the API key has no payout address on ${family}; use a key that was issued with --${CHAIN_FAMILIES[family].payoutOption}`
  throw new AppError('payout_address_missing', message, { param: 'acceptedPayments' })
}

/** Returns the releaser of the requested escrow, by default the key's payout address; `null` without escrow. */
export function getReleaser({ key, body }: CreateChargeRequest): Address | null {
  if (body.escrow === undefined) return null
  const { releaserAddress } = body.escrow
  // The field's rule allows escrow only in the family in which every key has a payout address.
  if (releaserAddress === undefined) return key.payoutAddresses[PRIMARY_FAMILY]
  const releaser = parseEvmAddress(releaserAddress)
  invariant(releaser !== null, `the releaser ${releaserAddress} passed its schema`)
  return releaser
}

function initialState(now: Date, expiresInSeconds: number) {
  return {
    status: 'pending',
    settlementStatus: null,
    receivedAtto: null,
    paidWith: [],
    txHash: null,
    createdAt: now,
    expiresAt: new Date(now.getTime() + expiresInSeconds * 1000),
    confirmedAt: null,
    settledAt: null,
    lastActivityAt: now,
    authorization: null,
  } as const
}

/** Returns the organization's own fee, or the configured fee. */
function getFee(own: string | null, configured: Percent): Percent {
  if (own === null) return configured
  const fee = parsePercent(own, { maxFractionDigits: FEE_FRACTION_DIGITS })
  invariant(fee !== null, `an organization's stored fee ${own} is not a percentage`)
  return fee
}

function getTargetMicro({ body, sourceOf }: CreateChargeRequest, feePercent: Percent) {
  const requestedMicro = parseTargetAmount(sourceOf(body, 'amount') ?? '')
  return body.feePayer === 'payer' ? grossUp({ requestedMicro, feePercent }) : requestedMicro
}

function predictSplit(
  { key, body }: CreateChargeRequest,
  terms: {
    id: string
    feePercent: Percent
    splits: readonly ResolvedSplit[]
    config: Pick<ApiConfig, 'fees' | 'treasury' | 'splitFactories'>
  },
) {
  const family = getFamily(body)
  const factory = terms.config.splitFactories[key.environment][family]
  invariant(factory !== null, `a charge on ${family} was accepted without a factory there`)
  const allocation = allocate({
    feePercent: terms.feePercent,
    distributorFeePercent: terms.config.fees.distributorFeePercent,
    merchant: getPayoutAddress({ key, body }),
    treasury: requireTreasury(terms.config.treasury, family),
    splitRecipients: terms.splits,
  })
  if (!allocation.ok) throw createSplitError(allocation.code)
  const { split } = allocation
  const splitAddress = CHAIN_FAMILIES[family].predictSplit({ factory, split, salt: chargeSalt(terms.id) })
  invariant(
    splitAddress !== null,
    `the factory ${factory} on ${family} is configured, but is not a known version`,
  )
  return { family, splitAddress, splitTerms: { ...split, factory } }
}

function createSplitError(code: 'split_recipients_exceed_available_percent'): AppError {
  return new AppError(code, 'the percentages add up to more than the share left after fees and rounding', {
    param: 'splitRecipients',
  })
}

/** Returns the family of all networks of the charge. The field's rule has checked that there is only one. */
export function getFamily({ acceptedPayments: [first] }: CreateChargeRequest['body']): ChainFamilyName {
  invariant(first !== undefined, 'a charge without accepted pairs passed its schema')
  return REGISTRY[first.network].family
}
