import { divCeil } from '../../shared/domain/money.ts'
import { findDomainProblem, hashPermit, PERMIT2_PRIMARY_TYPE } from '../../shared/domain/swap/permit2.ts'
import type { SwapFee } from '../../shared/runtime/swap-config.ts'
import type { Permit2Offer, SwapOffer, SwapQuoteRequest } from './provider.ts'

/** The terms that an offer must match. */
export type OfferExpectation = {
  readonly ask: SwapQuoteRequest
  /** Maximum fee that the provider may deduct for our service; `null` for no fee. */
  readonly fee: SwapFee | null
  readonly now: Date
}

/** Largest amount that a contract can represent. */
const MAX_UINT256 = 2n ** 256n - 1n

/** Maximum gas of a swap, which normally takes about 200,000. Few of our networks have blocks above this limit. */
const MAX_GAS = 30_000_000n

const BPS = 10_000n

/**
 * Returns why an offer must not reach a payer; `null` if the offer is valid.
 *
 * The form of `transaction.data` depends on the provider, so the adapter checks it. The price is not checked, but the
 * payer sees `inputAmount` and cannot lose more than that.
 */
export function findOfferProblem(offer: SwapOffer, terms: OfferExpectation): string | null {
  return (
    findAmountProblem(offer, terms) ?? findFeeProblem(offer, terms) ?? findTransactionProblem(offer, terms)
  )
}

function findAmountProblem(offer: SwapOffer, { ask }: OfferExpectation): string | null {
  if (offer.sellToken !== ask.sellToken.address)
    return `sells ${offer.sellToken}, not ${ask.sellToken.address}`
  if (offer.buyToken !== ask.buyToken) return `buys ${offer.buyToken}, not ${ask.buyToken}`
  if (offer.buyAtomic !== ask.buyAtomic) return `buys ${offer.buyAtomic}, not ${ask.buyAtomic}`
  if (offer.maxSellAtomic <= 0n) return 'sells no amount'
  return offer.maxSellAtomic > MAX_UINT256 ? 'sells more than a token can represent' : null
}

/** Fees must be in units of the output token, because our API reports them without a unit. */
function findFeeProblem(
  { serviceFee, providerFee, buyToken }: SwapOffer,
  terms: OfferExpectation,
): string | null {
  const foreign = [serviceFee, providerFee].find((fee) => fee !== null && fee.token !== buyToken)
  if (foreign) return `takes a fee in ${foreign.token}, not in ${buyToken}`
  const fee = serviceFee?.atomic ?? 0n
  const allowed = divCeil(terms.ask.buyAtomic * BigInt(terms.fee?.bps ?? 0), BPS)
  return fee > allowed ? `takes ${fee} as our fee, above ${allowed}` : null
}

function findTransactionProblem(offer: SwapOffer, terms: OfferExpectation): string | null {
  const { transaction, permit2, maxSellAtomic } = offer
  if (transaction.gas !== null && (transaction.gas <= 0n || transaction.gas > MAX_GAS))
    return `requests ${transaction.gas} gas`
  const valueWei = terms.ask.sellToken.isNative ? maxSellAtomic : 0n
  if (transaction.valueWei !== valueWei) return `sends ${transaction.valueWei} wei, not ${valueWei}`
  if (terms.ask.sellToken.isNative) return permit2 === null ? null : 'requires a permit for the native coin'
  return permit2 === null ? 'requires no permit for a token' : findPermitProblem(permit2, offer, terms)
}

function findPermitProblem(permit: Permit2Offer, offer: SwapOffer, terms: OfferExpectation): string | null {
  const { chainId, sellToken } = terms.ask
  if (permit.primaryType !== PERMIT2_PRIMARY_TYPE) return 'permit2 is of another type'
  const domainProblem = findDomainProblem(permit, chainId)
  if (domainProblem !== null) return domainProblem
  if (permit.token !== sellToken.address) return `permits ${permit.token}, not ${sellToken.address}`
  if (permit.amountAtomic !== offer.maxSellAtomic)
    return `permits ${permit.amountAtomic}, not ${offer.maxSellAtomic}`
  if (permit.spender !== offer.transaction.to)
    return `permits ${permit.spender} to spend, not ${offer.transaction.to}`
  if (permit.deadline * 1000n <= BigInt(terms.now.getTime())) return 'permit2 has expired'
  return hashPermit(permit, chainId) === permit.hash ? null : 'permit2 does not match its hash'
}
