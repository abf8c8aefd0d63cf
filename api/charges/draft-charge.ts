import type { Static } from '@sinclair/typebox'
import { type Address, type AddressFamily, parseEvmAddress } from '../../shared/domain/address.ts'
import { allocate } from '../../shared/domain/allocation.ts'
import type { ChargeRecord } from '../../shared/domain/charge.ts'
import { AppError, invariant } from '../../shared/domain/errors.ts'
import { predictSafeAddress } from '../../shared/domain/escrow-address.ts'
import { FAMILIES, KEY_FAMILY } from '../../shared/domain/families/families.ts'
import { grossUp } from '../../shared/domain/fee.ts'
import { newId } from '../../shared/domain/ids.ts'
import { parseTargetAmount } from '../../shared/domain/money.ts'
import { REGISTRY } from '../../shared/domain/network-registry.ts'
import { FEE_FRACTION_DIGITS, type Percent, parsePercent } from '../../shared/domain/percent.ts'
import { chargeSalt } from '../../shared/domain/split-address.ts'
import type { ApiConfig } from '../../shared/runtime/api-config.ts'
import { treasuryIn } from '../../shared/runtime/process-config.ts'
import { isSimulated } from '../networks/offered.ts'
import type { Request } from '../route.ts'
import type { CreateChargeBody } from './schema.ts'

/** A valid request for a new charge. */
export type CreateChargeRequest = Request<unknown, Static<typeof CreateChargeBody>>

/** One entry of `splitRecipients`, resolved to the address it is frozen to. */
export type ResolvedSplit = {
  readonly recipientId: string
  readonly address: Address
  readonly percent: Percent
  /** As the request wrote it. */
  readonly percentText: string
  readonly label?: string
}

/**
 * Makes the charge that a request asks for: terms frozen, address predicted, nothing stored.
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
  const escrowFeePercent = body.escrow ? ownOr(key.escrowFeePercent, fees.escrowFeePercent) : null
  const feePercent = (ownOr(key.feePercent, fees.feePercent) + (escrowFeePercent ?? 0n)) as Percent
  const releaser = releaserOf(request)
  const { splitAddress, ...split } = predictSplit(request, { ...terms, id, feePercent })
  return {
    ...initialState(key.now, body.expiresIn),
    ...split,
    splitAddress,
    // Identical on all networks: neither the split's nor the Safe's address depends on the chain.
    address: releaser === null ? splitAddress : predictSafeAddress({ releaser, saltNonce: chargeSalt(id) }),
    id,
    organizationId: key.organizationId,
    apiKeyId: key.id,
    environment: key.environment,
    isSimulated: isSimulated(terms.config, { ...body, environment: key.environment }),
    amountMicro: targetOf(request, feePercent),
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
 * Refuses networks on which no charge can be paid out yet, before anybody is looked up who would be paid there.
 *
 * @throws {AppError} `token_not_supported`
 */
export function requirePayableFamily(
  { key, body }: CreateChargeRequest,
  { splitFactories }: Pick<ApiConfig, 'splitFactories'>,
): void {
  const family = familyOf(body)
  const hasFactory = splitFactories[key.environment][family] !== null
  if (FAMILIES[family].isPayable && hasFactory) return
  const reason = hasFactory ? 'yet' : `of ${key.environment}: no contracts are configured there`
  throw new AppError('token_not_supported', `nothing can be accepted on ${family} ${reason}`, {
    param: 'acceptedPayments[0]',
  })
}

/**
 * Answers whom the merchant's share of a new charge is paid to: the key's payout address in the family of its networks.
 *
 * @throws {AppError} `payout_address_missing`
 */
export function payoutAddressOf({ key, body }: Pick<CreateChargeRequest, 'key' | 'body'>): Address {
  const family = familyOf(body)
  const address = key.payoutAddresses[family]
  if (address !== undefined) return address
  const message = `the API key has no payout address on ${family}: ask for one that was issued with --${FAMILIES[family].payoutOption}`
  throw new AppError('payout_address_missing', message, { param: 'acceptedPayments' })
}

/** Who may release the escrow that a request asks for, by default the key's payout address; `null` without escrow. */
export function releaserOf({ key, body }: CreateChargeRequest): Address | null {
  if (body.escrow === undefined) return null
  const { releaserAddress } = body.escrow
  // An escrow is one of the family in which every key has a payout address; its rule has seen to that.
  if (releaserAddress === undefined) return key.payoutAddresses[KEY_FAMILY]
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

/** The organization's own fee, or the configured one. */
function ownOr(own: string | null, configured: Percent): Percent {
  if (own === null) return configured
  const fee = parsePercent(own, { maxFractionDigits: FEE_FRACTION_DIGITS })
  invariant(fee !== null, `an organization's stored fee ${own} is no percent`)
  return fee
}

function targetOf({ body, sourceOf }: CreateChargeRequest, feePercent: Percent) {
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
  const family = familyOf(body)
  const factory = terms.config.splitFactories[key.environment][family]
  invariant(factory !== null, `a charge on ${family} passed without a factory there`)
  const allocation = allocate({
    feePercent: terms.feePercent,
    distributorFeePercent: terms.config.fees.distributorFeePercent,
    merchant: payoutAddressOf({ key, body }),
    treasury: treasuryIn(terms.config.treasury, family),
    splitRecipients: terms.splits,
  })
  if (!allocation.ok) throw refuseSplit(allocation.code)
  const { split } = allocation
  const splitAddress = FAMILIES[family].predictSplit({ factory, split, salt: chargeSalt(terms.id) })
  invariant(
    splitAddress !== null,
    `the factory ${factory} on ${family} is configured, and has no code of ours`,
  )
  return { family, splitAddress, splitTerms: { ...split, factory } }
}

function refuseSplit(code: 'split_recipients_exceed_available_percent'): AppError {
  return new AppError(code, 'the percents add up to more than the fee and rounding leave', {
    param: 'splitRecipients',
  })
}

/** The one family of all its networks, which its rule has seen to. */
export function familyOf({ acceptedPayments: [first] }: CreateChargeRequest['body']): AddressFamily {
  invariant(first !== undefined, 'a charge that accepts nothing passed its schema')
  return REGISTRY[first.network].family
}
