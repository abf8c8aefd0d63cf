import type { Static } from '@sinclair/typebox'
import { encodeFunctionData } from 'viem'
import { erc20Abi } from '../../shared/chain/abi/erc20.ts'
import type { AwaitedTransfer } from '../../shared/db/chain-facts/confirmation-progress.ts'
import type { CurrentCharge } from '../../shared/db/charges/api/charges-read.ts'
import type { PageBrand } from '../../shared/db/organizations/api/brands-read.ts'
import type { Color } from '../../shared/domain/accent.ts'
import type { Address, AddressFamily } from '../../shared/domain/address.ts'
import { formatDecimal } from '../../shared/domain/decimal.ts'
import { invariant } from '../../shared/domain/errors.ts'
import { FAMILIES, presentAddress } from '../../shared/domain/families/families.ts'
import {
  type AtomicUnits,
  type AttoDollars,
  attoToAtomicCeil,
  formatAtto,
  microToAtto,
} from '../../shared/domain/money.ts'
import { REGISTRY } from '../../shared/domain/network-registry.ts'
import {
  type Environment,
  type Network,
  type Pair,
  type PairContract,
  type PairKey,
  pairKey,
} from '../../shared/domain/networks.ts'
import { paymentUri } from '../../shared/domain/payment-uri.ts'
import { presentProgress } from '../../shared/domain/present-progress.ts'
import { parseWebUrl } from '../../shared/domain/web-url.ts'
import { findRemaining } from '../charges/find-remaining.ts'
import type { Charge } from '../charges/schema.ts'
import { chooseScreen, type Screen } from './choose-screen.ts'
import { logoPath } from './logo-path.ts'
import { type Product, productsOf } from './products.ts'
import { transactionLink } from './transaction-link.ts'
import { networkName } from './words.ts'

/** One way to pay what remains; amounts are exact decimals. */
export type Payment = Pair & {
  readonly chainId: number
  readonly tokenAddress: string
  readonly decimals: number
  /** What to send, in the token, rounded up to its smallest unit. */
  readonly amount: string
  readonly amountAtomic: string
  /** EIP-681's, or what wallets of TRON read. */
  readonly uri: string
  /** What a wallet of the payer's own sends; `null` where wallets take no call data. */
  readonly transfer: { readonly to: string; readonly data: string } | null
  /** What a wallet that does not know the network is told of it; `null` for a chain that is in no list. */
  readonly chain: {
    readonly name: string
    readonly explorer: string
    readonly rpcUrls: readonly string[]
    readonly nativeCurrency: { readonly symbol: string; readonly decimals: number }
  } | null
}

/** All that a payer may see of a charge; dollars are exact decimals, times ISO 8601. */
export type Checkout = {
  readonly id: string
  readonly screen: Screen
  readonly status: Static<typeof Charge>['status']
  readonly environment: Static<typeof Charge>['environment']
  readonly isSimulated: boolean
  /** Of the chains that it can be paid on, which tells what wallets can. */
  readonly family: AddressFamily
  readonly isEscrow: boolean
  readonly escrowEnd: 'released' | 'refunded' | null
  readonly currency: string
  readonly amount: string
  readonly amountReceived: string | null
  readonly remaining: string | null
  /** What came beyond `amount`; `null` unless it was overpaid. */
  readonly excess: string | null
  readonly isOverpaid: boolean
  readonly paymentUnavailable: boolean
  readonly createdAt: string
  readonly expiresAt: string
  readonly confirmedAt: string | null
  readonly paidWith: readonly Pair[]
  readonly txHash: string | null
  readonly txUrl: string | null
  readonly progress: readonly ReturnType<typeof presentProgress>[]
  /** Those that it can be paid on, or could. */
  readonly networks: readonly Network[]
  /** `null` wherever paying is not to be thought of. */
  readonly howToPay: { readonly address: string; readonly payments: readonly Payment[] } | null
  readonly swapAlternatives: Static<typeof Charge>['swapAlternatives']
  /** Of its pairs, those that a payer's signature alone pays in. */
  readonly payBySignature: readonly Pair[]
  readonly products: readonly Product[]
  readonly redirectUrl: string | null
  /** Who is paid; `logo` is a path, from the page. `null`: nothing is known of it that payers are told. */
  readonly brand: {
    readonly name: string
    readonly accent: Color | null
    readonly logo: string | null
  } | null
}

/** What is known of a charge at one moment. */
export type CheckoutFacts = {
  readonly current: CurrentCharge
  /** The same charge as its merchant reads it. */
  readonly presented: Static<typeof Charge>
  readonly awaited: readonly AwaitedTransfer[]
  readonly contracts: ReadonlyMap<PairKey, PairContract>
  readonly brand: PageBrand | null
  /** Products are shown with their pictures. */
  readonly hasImages: boolean
  readonly now: Date
}

/**
 * Answers what a payer may see of a charge: nothing that is not named here, so that a new field of a charge stays private
 * until somebody adds it (decisions 8.5).
 *
 * An address and an amount are in it only while they may be used.
 */
export function projectCheckout(facts: CheckoutFacts): Checkout {
  const { current, presented, awaited, now } = facts
  const screen = chooseScreen(current, { now, isAwaited: awaited.length > 0 })
  const remaining = findRemaining(current.charge)
  const isPayable = screen === 'pay' && remaining !== null
  return {
    id: presented.id,
    screen,
    status: presented.status,
    environment: presented.environment,
    isSimulated: current.charge.isSimulated,
    family: current.charge.family,
    isEscrow: presented.escrow !== null,
    escrowEnd: escrowEndOf(presented.escrow),
    ...moneyOf(facts, remaining),
    paymentUnavailable: current.paymentUnavailable,
    createdAt: presented.createdAt,
    expiresAt: presented.expiresAt,
    confirmedAt: presented.confirmedAt,
    paidWith: presented.paidWith.map(({ token, network }) => ({ token, network })),
    txHash: presented.txHash,
    txUrl: transactionLink(current.charge, { awaited, contracts: facts.contracts }),
    progress: awaited.map(presentProgress),
    networks: [...new Set(presented.acceptedPayments.map(({ network }) => network))],
    howToPay: isPayable ? { address: presented.address, payments: paymentsOf(facts, remaining) } : null,
    swapAlternatives: isPayable
      ? presented.swapAlternatives.map(({ token, network }) => ({ token, network }))
      : [],
    payBySignature: isPayable ? (presented.payBySignature ?? []) : [],
    products: productsOf(presented.metadata, facts),
    redirectUrl: webUrlOf(presented.redirectUrl),
    brand: brandOf(facts.brand),
  }
}

function escrowEndOf(escrow: Static<typeof Charge>['escrow']): Checkout['escrowEnd'] {
  if (escrow === null) return null
  if (escrow.releasedAt !== null) return 'released'
  return escrow.refundedAt === null ? null : 'refunded'
}

function moneyOf({ current: { charge }, presented }: CheckoutFacts, remaining: AttoDollars | null) {
  const { receivedAtto, amountMicro } = charge
  const excess = (receivedAtto ?? 0n) - microToAtto(amountMicro)
  return {
    currency: presented.currency,
    amount: formatDecimal(amountMicro, 6),
    amountReceived: receivedAtto === null ? null : formatAtto(receivedAtto),
    remaining: remaining === null ? null : formatAtto(remaining),
    excess: presented.isOverpaid ? formatDecimal(excess, 18) : null,
    isOverpaid: presented.isOverpaid,
  }
}

function paymentsOf({ current, contracts }: CheckoutFacts, remaining: AttoDollars): readonly Payment[] {
  const { family, address: recipient, acceptedPayments, environment } = current.charge
  return acceptedPayments.map(({ token, network }) => {
    const contract = contracts.get(pairKey({ token, network }))
    invariant(contract !== undefined, `${token} on ${network} is accepted and its contract is not known`)
    const { chainId, tokenAddress, decimals } = contract
    const amountAtomic: AtomicUnits = attoToAtomicCeil(remaining, decimals)
    return {
      ...{ token, network, chainId, decimals },
      tokenAddress: presentAddress(tokenAddress, family),
      amount: formatDecimal(amountAtomic, decimals),
      amountAtomic: String(amountAtomic),
      uri: paymentUri({ family, chainId, tokenAddress, decimals, recipient, amountAtomic }),
      transfer: FAMILIES[family].takesCallData
        ? { to: presentAddress(tokenAddress, family), data: encodeTransfer(recipient, amountAtomic) }
        : null,
      chain: chainOf({ network, environment, chainId }),
    }
  })
}

function encodeTransfer(recipient: Address, amountAtomic: AtomicUnits): string {
  return encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [recipient, amountAtomic] })
}

/** Of the registry, whose nodes are public ones. A chain under another id, as on a developer's machine, is in none. */
function chainOf(on: { network: Network; environment: Environment; chainId: number }): Payment['chain'] {
  const facts = REGISTRY[on.network][on.environment]
  if (facts === null || facts.chainId !== on.chainId) return null
  const { explorer, rpcUrls, nativeCurrency } = facts
  return {
    name: `${networkName(on.network)}${on.environment === 'test' ? ' test network' : ''}`,
    explorer,
    rpcUrls,
    nativeCurrency,
  }
}

function brandOf(brand: PageBrand | null): Checkout['brand'] {
  if (brand === null) return null
  const { name, accent, logoHash } = brand
  return { name, accent, logo: logoHash === null ? null : logoPath(logoHash) }
}

/** A link that a payer is given leads to a web page, whatever creation let in. */
function webUrlOf(text: string | null): string | null {
  return text === null ? null : (parseWebUrl(text)?.href ?? null)
}
