import { authorizationState } from './authorization-status.ts'
import { type ChargeRecord, isOverpaid } from './charge.ts'
import { toNumber } from './decimal.ts'
import { SAFE_CONTRACTS } from './escrow-address.ts'
import { presentAddress, presentTransactionHash } from './families/families.ts'
import { feeAmount, merchantAmount } from './fee.ts'
import { formatAtto, formatMicro, microToAtto } from './money.ts'
import { type PairKey, pairKey } from './networks.ts'
import { percentToNumber } from './percent.ts'
import { chargeSalt } from './split-address.ts'
import type { SwapAlternative } from './swap-alternatives.ts'

/** What a charge shows that is not its own: configuration, and the state of the networks now. */
export type PresentationContext = {
  /** Where hosted checkouts are, one below it per charge; `null` if the deployment has none. */
  readonly checkoutBaseUrl: string | null
  readonly swapAlternatives: readonly SwapAlternative[]
  /** Left out where nothing is known of the networks, as in a webhook. */
  readonly paymentUnavailable?: boolean | undefined
  /** Which of its pairs can be paid by signature now; likewise. */
  readonly payBySignature?: readonly PairKey[] | undefined
}

/**
 * Writes the one Charge JSON, for every response, stream and webhook.
 *
 * Text and not an object, because `metadata` is returned as the very text it was sent as: key order, number
 * spelling, white space (decisions 3.9); it may therefore contain line breaks. So are the percents of split recipients.
 *
 * @see specification, "Charge"; decisions 1.3, 1.4, 3.1
 */
export function presentCharge(charge: ChargeRecord, context: PresentationContext): string {
  return preparePresentation(charge, context)(context)
}

/** What of a charge's JSON may be known later than the charge: of its networks, now. */
type NetworkState = Pick<PresentationContext, 'paymentUnavailable' | 'payBySignature'>

/** Writes the Charge JSON but for what it says of the networks; the function made writes it whole, as often as asked. */
export function preparePresentation(
  charge: ChargeRecord,
  context: Omit<PresentationContext, keyof NetworkState>,
): (now: NetworkState) => string {
  const money = fieldsOf(presentMoney(charge))
  const pairs = fieldsOf(presentPairs(charge, context))
  const rest = [
    fieldsOf(presentPayment(charge)),
    `"metadata":${charge.metadataText ?? 'null'}`,
    fieldsOf(presentLinks(charge, context)),
    `"splitRecipients":[${charge.splitRecipients.map((one) => presentSplitRecipient(charge, one)).join()}]`,
    fieldsOf(presentTimes(charge)),
  ].join()
  return ({ paymentUnavailable, payBySignature }) => {
    const unavailable = paymentUnavailable === undefined ? '' : `"paymentUnavailable":${paymentUnavailable},`
    const signable =
      payBySignature === undefined ? '' : `${fieldsOf(presentSignable(charge, payBySignature))},`
    return `{${money},${unavailable}${pairs},${signable}${rest}}`
  }
}

function fieldsOf(part: object): string {
  return JSON.stringify(part).slice(1, -1)
}

function presentMoney(charge: ChargeRecord) {
  const { amountMicro, receivedAtto } = charge
  const fee = feeAmount(charge)
  const net = merchantAmount(charge)
  return {
    id: charge.id,
    amount: toNumber(amountMicro, 6),
    amountExact: formatMicro(amountMicro),
    feePayer: charge.feePayer,
    feePercent: percentToNumber(charge.feePercent),
    feeAmount: toNumber(fee.digits, fee.scale),
    merchantAmount: toNumber(net.digits, net.scale),
    amountReceived: receivedAtto === null ? null : toNumber(receivedAtto, 18),
    amountReceivedExact: receivedAtto === null ? null : formatAtto(receivedAtto),
  }
}

function presentPairs(
  charge: ChargeRecord,
  { swapAlternatives }: Pick<PresentationContext, 'swapAlternatives'>,
) {
  const { amountMicro, receivedAtto } = charge
  return {
    isOverpaid: isOverpaid({ receivedAtto, targetAtto: microToAtto(amountMicro) }),
    currency: 'USD',
    acceptedPayments: charge.acceptedPayments.map(({ token, network }) => ({ token, network })),
    paidWith: charge.paidWith.map(({ token, network }) => ({ token, network })),
    swapAlternatives: swapAlternatives.map(({ token, network }) => ({ token, network })),
  }
}

function presentSignable({ acceptedPayments }: ChargeRecord, pairs: readonly PairKey[]) {
  return { payBySignature: acceptedPayments.filter((pair) => pairs.includes(pairKey(pair))) }
}

function presentPayment(charge: ChargeRecord) {
  return {
    address: presentAddress(charge.address, charge.family),
    addressTerms: presentAddressTerms(charge),
    status: charge.status,
    settlementStatus: charge.settlementStatus,
    environment: charge.environment,
    apiKeyId: charge.apiKeyId,
    txHash: presentTransactionHash(charge.txHash, charge.family),
    externalRef: charge.externalRef,
    source: charge.source,
  }
}

function presentLinks(
  charge: ChargeRecord,
  { checkoutBaseUrl }: Pick<PresentationContext, 'checkoutBaseUrl'>,
) {
  return {
    redirectUrl: charge.redirectUrl,
    checkoutUrl: checkoutBaseUrl === null ? null : `${checkoutBaseUrl.replace(/\/$/, '')}/${charge.id}`,
  }
}

/** The percent is the very text it was given as: it may have more digits than a double. */
function presentSplitRecipient({ family }: ChargeRecord, recipient: ChargeRecord['splitRecipients'][number]) {
  const { address, percentText, label } = recipient
  const shownLabel = label === undefined ? '' : `,"label":${JSON.stringify(label)}`
  return `{"address":"${presentAddress(address, family)}","percent":${percentText}${shownLabel}}`
}

function presentTimes(charge: ChargeRecord) {
  return {
    createdAt: charge.createdAt,
    expiresAt: charge.expiresAt,
    confirmedAt: charge.confirmedAt,
    settledAt: charge.settledAt,
    lastActivityAt: charge.lastActivityAt,
    escrow: presentEscrow(charge),
    authorization: presentAuthorization(charge),
  }
}

function presentAuthorization({ authorization, family }: ChargeRecord) {
  if (authorization === null) return null
  const { status, txHash, token, network, payer } = authorization
  return {
    state: authorizationState(status),
    txHash: presentTransactionHash(txHash, family),
    ...{ network, token, payer: presentAddress(payer, family) },
  }
}

/** Everything needed to compute the address again, should our database be lost (decisions 3.1). */
function presentAddressTerms(charge: ChargeRecord) {
  const { family, splitTerms } = charge
  return {
    family,
    factory: presentAddress(splitTerms.factory, family),
    salt: chargeSalt(charge.id),
    recipients: splitTerms.recipients.map((recipient, index) => ({
      address: presentAddress(recipient, family),
      allocation: splitTerms.allocations[index],
    })),
    totalAllocation: splitTerms.totalAllocation,
    distributionIncentive: splitTerms.distributionIncentive,
    splitAddress: presentAddress(charge.splitAddress, family),
    safe: presentSafeTerms(charge),
  }
}

/** The terms of the custody contract; its `saltNonce` is the charge's salt. */
function presentSafeTerms({ escrow, family }: ChargeRecord) {
  if (escrow === null) return null
  return {
    owner: presentAddress(escrow.releaserAddress, family),
    threshold: 1,
    singleton: presentAddress(SAFE_CONTRACTS.singleton, family),
    proxyFactory: presentAddress(SAFE_CONTRACTS.proxyFactory, family),
    fallbackHandler: presentAddress(SAFE_CONTRACTS.fallbackHandler, family),
  }
}

function presentEscrow({ escrow, family }: ChargeRecord) {
  if (escrow === null) return null
  return {
    releaserAddress: presentAddress(escrow.releaserAddress, family),
    releasedAt: escrow.releasedAt,
    refundedAt: escrow.refundedAt,
    pendingAction: escrow.pendingAction,
  }
}
