import type { Address } from '../../shared/domain/address.ts'
import { allocate } from '../../shared/domain/allocation.ts'
import { CHAIN_FAMILIES } from '../../shared/domain/chain-families/chain-families.ts'
import type { ChargeRecord } from '../../shared/domain/charge.ts'
import { AppError, invariant } from '../../shared/domain/errors.ts'
import { predictSafeAddress } from '../../shared/domain/escrow-address.ts'
import { grossUp } from '../../shared/domain/fee.ts'
import { newId } from '../../shared/domain/ids.ts'
import { parseTargetAmount } from '../../shared/domain/money.ts'
import { FEE_FRACTION_DIGITS, type Percent, parsePercent } from '../../shared/domain/percent.ts'
import { chargeSalt } from '../../shared/domain/split-address.ts'
import type { ApiConfig } from '../../shared/runtime/api-config.ts'
import { requireTreasury } from '../../shared/runtime/process-config.ts'
import { isSimulated } from '../networks/offered-pairs.ts'
import type { PayableParties } from './charge-parties.ts'
import type { CreateChargeRequest } from './request-schema.ts'

/** An entry of `splitRecipients` with its recipient's address, which becomes part of the charge's terms. */
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
    parties: PayableParties
    splits: readonly ResolvedSplit[]
    config: Pick<ApiConfig, 'fees' | 'treasury' | 'deployments'>
  },
): ChargeRecord {
  const { key, body } = request
  const id = newId('ch', key.now.getTime())
  const { fees } = terms.config
  const escrowFeePercent = body.escrow ? getFee(key.escrowFeePercent, fees.escrowFeePercent) : null
  const feePercent = (getFee(key.feePercent, fees.feePercent) + (escrowFeePercent ?? 0n)) as Percent
  const { releaser, family } = terms.parties
  const { splitAddress, splitTerms } = predictSplit({ ...terms, id, feePercent })
  return {
    family,
    splitTerms,
    splitAddress,
    // The address is the same on all networks, because neither the split's nor the Safe's address depends on the chain.
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
    // Initial values. They are listed here because spreading them from an object would cost 75 µs per charge
    // (measured), as V8 would add the fields one by one.
    status: 'pending',
    settlementStatus: null,
    receivedAtto: null,
    paidWith: [],
    txHash: null,
    createdAt: key.now,
    expiresAt: new Date(key.now.getTime() + body.expiresIn * 1000),
    confirmedAt: null,
    settledAt: null,
    lastActivityAt: key.now,
    authorization: null,
    refunds: [],
  }
}

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

function predictSplit(terms: {
  id: string
  feePercent: Percent
  parties: PayableParties
  splits: readonly ResolvedSplit[]
  config: Pick<ApiConfig, 'fees' | 'treasury'>
}) {
  const { family, factory, payoutAddress: merchant } = terms.parties
  const allocation = allocate({
    feePercent: terms.feePercent,
    distributorFeePercent: terms.config.fees.distributorFeePercent,
    merchant,
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
  return { splitAddress, splitTerms: { ...split, factory } }
}

function createSplitError(code: 'split_recipients_exceed_available_percent'): AppError {
  return new AppError(code, 'the percentages add up to more than the share left after fees and rounding', {
    param: 'splitRecipients',
  })
}
