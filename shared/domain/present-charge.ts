import { presentAddress, presentTransactionHash } from './chain-families/chain-families.ts'
import { type ChargeRecord, isOverpaid } from './charge.ts'
import { toNumber } from './decimal.ts'
import { presentAuthorizationStatus } from './eip3009/authorization-status.ts'
import { SAFE_CONTRACTS } from './escrow-address.ts'
import { feeAmount, merchantAmount } from './fee.ts'
import { atto, formatAtto, formatMicro, microToAtto } from './money.ts'
import { type PairKey, pairKey } from './networks.ts'
import { type PaymentOption, presentPaymentOption } from './payment-options.ts'
import { percentToNumber } from './percent.ts'
import type { ChargeRefund } from './refund/refund.ts'
import type { presentRefundable } from './refund/refundable.ts'
import { chargeSalt } from './split-address.ts'
import type { SwapAlternative } from './swap/swap-alternatives.ts'

/** Inputs of a charge's JSON that are not part of the charge. */
export type PresentationContext = {
  /** Base URL of the hosted checkouts, to which a charge's id is appended; `null` without hosted checkouts. */
  readonly checkoutBaseUrl: string | null
  readonly swapAlternatives: readonly SwapAlternative[]
  /**
   * Whether all accepted pairs are unavailable while a payment or the settlement is expected. Omitted in webhooks and
   * streams, whose readers might use it later.
   */
  readonly paymentUnavailable?: boolean | undefined
  /** The accepted pairs on which a payment might not be detected now. Omitted like `paymentUnavailable`. */
  readonly unavailablePayments?: readonly PairKey[] | undefined
  /** The accepted pairs with the amounts to send now. Omitted like `paymentUnavailable`. */
  readonly paymentOptions?: readonly PaymentOption[] | undefined
  /** The accepted pairs that can be paid by signature now. Omitted like `paymentUnavailable`. */
  readonly payBySignature?: readonly PairKey[] | undefined
  /**
   * The amounts that can be refunded now. Present only in the response to a merchant's request for one charge, if the
   * charge no longer waits for its payment.
   */
  readonly refundable?: ReturnType<typeof presentRefundable> | undefined
}

/**
 * Returns the Charge JSON for every response, stream and webhook.
 *
 * The result is text and not an object, because `metadata` keeps its original key order, number spelling and white
 * space (decisions 3.9), which may include line breaks. The percents of split recipients keep their original text.
 *
 * @see specification, "Charge"; decisions 1.3, 1.4, 3.1
 */
export function presentCharge(charge: ChargeRecord, context: PresentationContext): string {
  return preparePresentation(charge, context)(context)
}

/** The inputs that depend on the current state of the networks, and may be determined later than the configuration. */
type NetworkState = Omit<PresentationContext, 'checkoutBaseUrl'>

/**
 * Prepares the Charge JSON except for the state of the networks. The returned function completes the JSON, and may be
 * called repeatedly.
 */
export function preparePresentation(
  charge: ChargeRecord,
  context: Omit<PresentationContext, keyof NetworkState>,
): (now: NetworkState) => string {
  const money = formatFields(presentMoney(charge))
  const pairs = formatFields(presentPairs(charge))
  const rest = [
    formatFields(presentPayment(charge)),
    `"metadata":${charge.metadataText ?? 'null'}`,
    formatFields(presentLinks(charge, context)),
    `"splitRecipients":[${charge.splitRecipients.map((one) => presentSplitRecipient(charge, one)).join()}]`,
    formatFields(presentTimes(charge)),
  ].join()
  return (now) => {
    const state = formatFields(presentState(charge, now))
    return `{${[money, pairs, state, rest].filter((part) => part !== '').join()}}`
  }
}

function formatFields(part: object): string {
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

function presentPairs(charge: ChargeRecord) {
  const { amountMicro, receivedAtto } = charge
  return {
    isOverpaid: isOverpaid({ receivedAtto, targetAtto: microToAtto(amountMicro) }),
    currency: 'USD',
    acceptedPayments: charge.acceptedPayments.map(({ token, network }) => ({ token, network })),
    paidWith: charge.paidWith.map(({ token, network }) => ({ token, network })),
  }
}

function presentState(charge: ChargeRecord, now: NetworkState) {
  const {
    swapAlternatives,
    paymentUnavailable,
    unavailablePayments,
    paymentOptions,
    payBySignature,
    refundable,
  } = now
  const select = (pairs: readonly PairKey[]) =>
    charge.acceptedPayments.filter((pair) => pairs.includes(pairKey(pair)))
  return {
    swapAlternatives: swapAlternatives.map(({ token, network }) => ({ token, network })),
    ...(paymentUnavailable !== undefined && { paymentUnavailable }),
    ...(unavailablePayments !== undefined && { unavailablePayments: select(unavailablePayments) }),
    ...(paymentOptions !== undefined && {
      paymentOptions: paymentOptions.map((option) => presentPaymentOption(option, charge.family)),
    }),
    ...(payBySignature !== undefined && { payBySignature: select(payBySignature) }),
    ...(refundable !== undefined && { refundable }),
  }
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

/** The percent keeps its original text, because it may have more digits than a double. */
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
    ...presentRefunds(charge),
  }
}

function presentRefunds({ refunds, family }: ChargeRecord) {
  const counted = atto(refunds.reduce((sum, { countedAtto }) => sum + countedAtto, 0n))
  return {
    amountRefunded: toNumber(counted, 18),
    amountRefundedExact: formatAtto(counted),
    refunds: refunds.map((refund) => presentRefund(refund, family)),
  }
}

function presentRefund(
  { id, status, token, network, amountAtto, destination, txHash }: ChargeRefund,
  family: ChargeRecord['family'],
) {
  return {
    ...{ id, status, token, network },
    ...{ amount: toNumber(amountAtto, 18), amountExact: formatAtto(amountAtto) },
    destination: destination === null ? null : presentAddress(destination, family),
    txHash: presentTransactionHash(txHash, family),
  }
}

function presentAuthorization({ authorization, family }: ChargeRecord) {
  if (authorization === null) return null
  const { status, txHash, token, network, payer } = authorization
  return {
    state: presentAuthorizationStatus(status),
    txHash: presentTransactionHash(txHash, family),
    ...{ network, token, payer: presentAddress(payer, family) },
  }
}

/** Returns everything needed to recompute the address if our database is lost (decisions 3.1). */
export function presentAddressTerms(charge: ChargeRecord) {
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

/** The terms omit the Safe's `saltNonce`, because it equals the charge's salt. */
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
