import { createHash } from 'node:crypto'
import type { Static } from '@sinclair/typebox'
import type { PendingTransfer } from '../../shared/db/chain-facts/confirmation-progress.ts'
import type { PageTransfer } from '../../shared/db/chain-facts/page-transfers.ts'
import type { CurrentCharge } from '../../shared/db/charges/api/charges-read.ts'
import type { PageBrand } from '../../shared/db/organizations/api/brands-read.ts'
import type { Color } from '../../shared/domain/accent.ts'
import type { ChainFamilyName } from '../../shared/domain/address.ts'
import { findAmountAsked, getAmountDue } from '../../shared/domain/amount-due.ts'
import { formatDecimal } from '../../shared/domain/decimal.ts'
import { type AttoDollars, atto, formatAtto, microToAtto } from '../../shared/domain/money.ts'
import { type Network, type Pair, pairKey } from '../../shared/domain/networks.ts'
import { listPaymentOptions } from '../../shared/domain/payment-options.ts'
import { presentProgress } from '../../shared/domain/present-progress.ts'
import { parseWebUrl } from '../../shared/domain/web-url.ts'
import { findRemaining } from '../charges/find-remaining.ts'
import type { Charge } from '../charges/schema.ts'
import { chooseScreen } from './choose-screen.ts'
import { listPayments, type Payment } from './list-payments.ts'
import { logoPath } from './logo-path.ts'
import type { Screen } from './page-data.ts'
import { presentTransfer, type ShownTransfer } from './present-transfer.ts'
import { listProducts, type Product } from './products.ts'
import { isShownAmount, isSubjectAmount } from './shown-amount.ts'
import { transactionLink } from './transaction-link.ts'

/** All fields of a charge that a payer may see. Dollars are exact decimals, times are ISO 8601. */
export type Checkout = {
  readonly id: string
  /** Truncated hash of all other fields. It shows a client that a field changed, but not the value of any field. */
  readonly revision: string
  readonly screen: Screen
  readonly status: Static<typeof Charge>['status']
  readonly environment: Static<typeof Charge>['environment']
  readonly isSimulated: boolean
  /** Family of the accepted chains; it decides which wallets can pay. */
  readonly family: ChainFamilyName
  readonly isEscrow: boolean
  readonly escrowEnd: 'released' | 'refunded' | null
  readonly currency: string
  readonly amount: string
  readonly amountReceived: string | null
  /** Amount not received yet; `null` once the charge is paid in full or closed. */
  readonly remaining: string | null
  /** Amount seen in blocks and not credited yet; `null` if there is none. */
  readonly seen: string | null
  /** Amount neither received nor seen: the maximum that the page may request; `null` if no amount is due. */
  readonly remainingAfterSeen: string | null
  /** Amount received in time; `null` if there is none. */
  readonly amountOnTime: string | null
  /** Amount received or seen in blocks at or after the deadline; `null` if there is none. */
  readonly amountLate: string | null
  /** Amount received beyond `amount`; `null` unless the charge is overpaid by at least 0.01. */
  readonly excess: string | null
  readonly isOverpaid: boolean
  readonly paymentUnavailable: boolean
  /** Accepted pairs that an operator paused or whose chain data is stale, so that a payment might not be seen now. */
  readonly unavailablePayments: readonly Pair[]
  readonly createdAt: string
  readonly expiresAt: string
  readonly confirmedAt: string | null
  readonly paidWith: readonly Pair[]
  readonly txHash: string | null
  readonly txUrl: string | null
  readonly progress: readonly ReturnType<typeof presentProgress>[]
  /**
   * Transfers that are not credited yet: at most ten late transfers, then at most ten others, each group the largest
   * first.
   */
  readonly seenTransfers: readonly ShownTransfer[]
  /** Transfers in blocks at or after the deadline, credited or not; at most ten, the largest first. */
  readonly lateTransfers: readonly ShownTransfer[]
  /** Transfers on pairs that the charge does not accept; at most ten, the largest first. They are never credited. */
  readonly refusedTransfers: readonly ShownTransfer[]
  /**
   * The refused transfer that the page shows instead of requesting a payment, because the payer might have sent it for
   * this charge; `null` if there is none.
   */
  readonly wrongPayment: ShownTransfer | null
  /** Every accepted network, even after the charge can no longer be paid. */
  readonly networks: readonly Network[]
  /** `null` unless the page requests a payment. Unavailable pairs are omitted. */
  readonly howToPay: { readonly address: string; readonly payments: readonly Payment[] } | null
  readonly swapAlternatives: Static<typeof Charge>['swapAlternatives']
  /** Accepted pairs that can be paid by signature. */
  readonly payBySignature: readonly Pair[]
  readonly products: readonly Product[]
  readonly redirectUrl: string | null
  /** Name of the paid party: the name of the brand, otherwise the host of `redirectUrl`. */
  readonly payee: string | null
  /** The merchant's contact for payers, an `https:` or `mailto:` URL. */
  readonly support: string | null
  /** The merchant's brand; `null` if none is set. `logo` is a path relative to the page. */
  readonly brand: {
    readonly name: string
    readonly accent: Color | null
    readonly logo: string | null
  } | null
}

/** Facts about a charge, all read in one snapshot. */
export type CheckoutFacts = {
  readonly current: CurrentCharge
  /** The charge as the API returns it to the merchant. */
  readonly presented: Static<typeof Charge>
  readonly awaited: readonly PendingTransfer[]
  readonly transfers: readonly PageTransfer[]
  readonly brand: PageBrand | null
  /** Whether products are shown with their pictures. */
  readonly hasImages: boolean
  readonly now: Date
}

/**
 * Returns the fields of a charge that a payer may see. Lists every field explicitly, so that a new field of a charge
 * stays private until someone adds it here (decisions 8.5).
 */
export function projectCheckout(facts: CheckoutFacts): Checkout {
  const state = projectState(facts)
  const digest = createHash('sha256').update(JSON.stringify(state)).digest('base64url')
  return { ...state, revision: digest.slice(0, 16) }
}

function projectState(facts: CheckoutFacts): Omit<Checkout, 'revision'> {
  const { current, presented, awaited, now } = facts
  const screen = chooseScreen({ ...current, lateAtto: getLateAmount(facts) }, now)
  const isPayable = screen === 'pay'
  const redirectUrl = toWebUrl(presented.redirectUrl)
  return {
    id: presented.id,
    screen,
    status: presented.status,
    environment: presented.environment,
    isSimulated: current.charge.isSimulated,
    family: current.charge.family,
    isEscrow: presented.escrow !== null,
    escrowEnd: getEscrowEnd(presented.escrow),
    ...presentMoney(facts),
    paymentUnavailable: current.paymentUnavailable,
    unavailablePayments: selectUnavailable(current),
    createdAt: presented.createdAt,
    expiresAt: presented.expiresAt,
    confirmedAt: presented.confirmedAt,
    paidWith: presented.paidWith.map(({ token, network }) => ({ token, network })),
    txHash: presented.txHash,
    txUrl: transactionLink(current.charge, { awaited, contracts: current.contracts }),
    progress: awaited.map(presentProgress),
    seenTransfers: listTransfers(
      facts,
      ({ kind, isCredited }) => kind === 'seen' || (kind === 'late' && !isCredited),
    ),
    lateTransfers: listTransfers(facts, ({ kind }) => kind === 'late'),
    refusedTransfers: listTransfers(facts, ({ kind }) => kind === 'refused'),
    wrongPayment: isPayable ? findWrongPayment(facts) : null,
    networks: [...new Set(presented.acceptedPayments.map(({ network }) => network))],
    howToPay: isPayable ? { address: presented.address, payments: listPayable(current, now) } : null,
    swapAlternatives: isPayable
      ? presented.swapAlternatives.map(({ token, network }) => ({ token, network }))
      : [],
    payBySignature: isPayable ? (presented.payBySignature ?? []) : [],
    products: listProducts(presented.metadata, facts),
    redirectUrl,
    payee: facts.brand?.name ?? (redirectUrl === null ? null : new URL(redirectUrl).host),
    support: facts.brand?.support ?? null,
    brand: presentBrand(facts.brand),
  }
}

function listPayable(current: CurrentCharge, now: Date): readonly Payment[] {
  const { charge } = current
  const askedAtto = findAmountAsked(current, now)
  return listPayments(charge, listPaymentOptions(charge, { askedAtto, ...current }))
}

function selectUnavailable({ charge, unavailablePayments }: CurrentCharge): readonly Pair[] {
  return charge.acceptedPayments.filter((pair) => unavailablePayments.includes(pairKey(pair)))
}

function listTransfers(
  { transfers, current }: CheckoutFacts,
  isListed: (transfer: PageTransfer) => boolean,
): readonly ShownTransfer[] {
  return transfers.filter(isListed).map((transfer) => presentTransfer(transfer, current.charge))
}

function getLateAmount({ transfers }: Pick<CheckoutFacts, 'transfers'>): AttoDollars {
  return transfers.find(({ kind }) => kind === 'late')?.kindAtto ?? atto(0n)
}

/** Returns the largest refused transfer if it is large enough to replace the payment request. */
function findWrongPayment({ transfers, current }: CheckoutFacts): ShownTransfer | null {
  const { charge, seenAtto } = current
  const [largest] = transfers.filter(({ kind }) => kind === 'refused')
  if (largest === undefined) return null
  const isSubject = isSubjectAmount(largest.amountAtto, getAmountDue({ ...charge, seenAtto }))
  return isSubject ? presentTransfer(largest, charge) : null
}

function getEscrowEnd(escrow: Static<typeof Charge>['escrow']): Checkout['escrowEnd'] {
  if (escrow === null) return null
  if (escrow.releasedAt !== null) return 'released'
  return escrow.refundedAt === null ? null : 'refunded'
}

function presentMoney(facts: CheckoutFacts) {
  const { charge, seenAtto, onTimeAtto } = facts.current
  const { receivedAtto, amountMicro } = charge
  const { presented } = facts
  const remaining = findRemaining(charge)
  const due = getAmountDue({ ...charge, seenAtto })
  const late = getLateAmount(facts)
  const excess = atto((receivedAtto ?? 0n) - microToAtto(amountMicro))
  return {
    currency: presented.currency,
    amount: formatDecimal(amountMicro, 6),
    amountReceived: receivedAtto === null ? null : formatAtto(receivedAtto),
    remaining: remaining === null ? null : formatAtto(remaining),
    seen: seenAtto === 0n ? null : formatAtto(seenAtto),
    remainingAfterSeen: remaining === null || due === 0n ? null : formatAtto(due),
    amountOnTime: onTimeAtto === 0n ? null : formatAtto(onTimeAtto),
    amountLate: late === 0n ? null : formatAtto(late),
    excess: isShownAmount(excess) ? formatAtto(excess) : null,
    isOverpaid: presented.isOverpaid,
  }
}

function presentBrand(brand: PageBrand | null): Checkout['brand'] {
  if (brand === null) return null
  const { name, accent, logoHash } = brand
  return { name, accent, logo: logoHash === null ? null : logoPath(logoHash) }
}

/** Returns `null` if the text is not a web URL. Does not rely on the validation at creation. */
function toWebUrl(text: string | null): string | null {
  return text === null ? null : (parseWebUrl(text)?.href ?? null)
}
