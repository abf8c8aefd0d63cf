import type { Static } from '@sinclair/typebox'
import { encodeFunctionData } from 'viem'
import { erc20Abi } from '../../shared/chain/abi/erc20.ts'
import type { PendingTransfer } from '../../shared/db/chain-facts/confirmation-progress.ts'
import type { CurrentCharge } from '../../shared/db/charges/api/charges-read.ts'
import type { PageBrand } from '../../shared/db/organizations/api/brands-read.ts'
import type { Color } from '../../shared/domain/accent.ts'
import type { Address, ChainFamilyName } from '../../shared/domain/address.ts'
import { CHAIN_FAMILIES, presentAddress } from '../../shared/domain/chain-families/chain-families.ts'
import { formatDecimal } from '../../shared/domain/decimal.ts'
import { invariant } from '../../shared/domain/errors.ts'
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
import { listProducts, type Product } from './products.ts'
import { transactionLink } from './transaction-link.ts'
import { networkName } from './translate.ts'

/** One way to pay the remaining amount. Amounts are exact decimals. */
export type Payment = Pair & {
  readonly chainId: number
  readonly tokenAddress: string
  readonly decimals: number
  /** Amount to send, in the token, rounded up to its smallest unit. */
  readonly amount: string
  readonly amountAtomic: string
  /** An EIP-681 link, or the format that TRON wallets read. */
  readonly uri: string
  /** The call that the payer's wallet sends; `null` where wallets take no call data. */
  readonly transfer: { readonly to: string; readonly data: string } | null
  /** Data to add the network to a wallet that does not know it; `null` for a chain that is not in the registry. */
  readonly chain: {
    readonly name: string
    readonly explorer: string
    readonly rpcUrls: readonly string[]
    readonly nativeCurrency: { readonly symbol: string; readonly decimals: number }
  } | null
}

/** All fields of a charge that a payer may see. Dollars are exact decimals, times are ISO 8601. */
export type Checkout = {
  readonly id: string
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
  readonly remaining: string | null
  /** Amount received beyond `amount`; `null` unless the charge is overpaid. */
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
  /** Every accepted network, also after the charge can no longer be paid. */
  readonly networks: readonly Network[]
  /** `null` unless the page requests a payment. */
  readonly howToPay: { readonly address: string; readonly payments: readonly Payment[] } | null
  readonly swapAlternatives: Static<typeof Charge>['swapAlternatives']
  /** Accepted pairs that can be paid by signature. */
  readonly payBySignature: readonly Pair[]
  readonly products: readonly Product[]
  readonly redirectUrl: string | null
  /** The merchant's brand; `null` if none is set. `logo` is a path relative to the page. */
  readonly brand: {
    readonly name: string
    readonly accent: Color | null
    readonly logo: string | null
  } | null
}

/** Facts about a charge at one time. */
export type CheckoutFacts = {
  readonly current: CurrentCharge
  /** The charge as its merchant reads it. */
  readonly presented: Static<typeof Charge>
  readonly awaited: readonly PendingTransfer[]
  readonly contracts: ReadonlyMap<PairKey, PairContract>
  readonly brand: PageBrand | null
  /** Whether products are shown with their pictures. */
  readonly hasImages: boolean
  readonly now: Date
}

/**
 * Returns the fields of a charge that a payer may see. It lists every field explicitly, so that a new field of a charge
 * stays private until someone adds it here (decisions 8.5).
 *
 * The address and amounts are included only while the charge can be paid.
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
    escrowEnd: getEscrowEnd(presented.escrow),
    ...presentMoney(facts, remaining),
    paymentUnavailable: current.paymentUnavailable,
    createdAt: presented.createdAt,
    expiresAt: presented.expiresAt,
    confirmedAt: presented.confirmedAt,
    paidWith: presented.paidWith.map(({ token, network }) => ({ token, network })),
    txHash: presented.txHash,
    txUrl: transactionLink(current.charge, { awaited, contracts: facts.contracts }),
    progress: awaited.map(presentProgress),
    networks: [...new Set(presented.acceptedPayments.map(({ network }) => network))],
    howToPay: isPayable ? { address: presented.address, payments: listPayments(facts, remaining) } : null,
    swapAlternatives: isPayable
      ? presented.swapAlternatives.map(({ token, network }) => ({ token, network }))
      : [],
    payBySignature: isPayable ? (presented.payBySignature ?? []) : [],
    products: listProducts(presented.metadata, facts),
    redirectUrl: toWebUrl(presented.redirectUrl),
    brand: presentBrand(facts.brand),
  }
}

function getEscrowEnd(escrow: Static<typeof Charge>['escrow']): Checkout['escrowEnd'] {
  if (escrow === null) return null
  if (escrow.releasedAt !== null) return 'released'
  return escrow.refundedAt === null ? null : 'refunded'
}

function presentMoney({ current: { charge }, presented }: CheckoutFacts, remaining: AttoDollars | null) {
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

function listPayments({ current, contracts }: CheckoutFacts, remaining: AttoDollars): readonly Payment[] {
  const { family, address: recipient, acceptedPayments, environment } = current.charge
  return acceptedPayments.map(({ token, network }) => {
    const contract = contracts.get(pairKey({ token, network }))
    invariant(contract !== undefined, `no contract is known for the accepted pair ${token} on ${network}`)
    const { chainId, tokenAddress, decimals } = contract
    const amountAtomic: AtomicUnits = attoToAtomicCeil(remaining, decimals)
    return {
      ...{ token, network, chainId, decimals },
      tokenAddress: presentAddress(tokenAddress, family),
      amount: formatDecimal(amountAtomic, decimals),
      amountAtomic: String(amountAtomic),
      uri: paymentUri({ family, chainId, tokenAddress, decimals, recipient, amountAtomic }),
      transfer: CHAIN_FAMILIES[family].takesCallData
        ? { to: presentAddress(tokenAddress, family), data: encodeTransfer(recipient, amountAtomic) }
        : null,
      chain: findChain({ network, environment, chainId }),
    }
  })
}

function encodeTransfer(recipient: Address, amountAtomic: AtomicUnits): string {
  return encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [recipient, amountAtomic] })
}

/**
 * Returns the registry's data of a chain, whose nodes are public. A chain with another id, for example on a developer's
 * machine, is not in the registry.
 */
function findChain(on: { network: Network; environment: Environment; chainId: number }): Payment['chain'] {
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

function presentBrand(brand: PageBrand | null): Checkout['brand'] {
  if (brand === null) return null
  const { name, accent, logoHash } = brand
  return { name, accent, logo: logoHash === null ? null : logoPath(logoHash) }
}

/** Returns a link only if it leads to a web page, regardless of the check at creation. */
function toWebUrl(text: string | null): string | null {
  return text === null ? null : (parseWebUrl(text)?.href ?? null)
}
