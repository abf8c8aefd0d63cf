import { divCeil } from '../../shared/domain/money.ts'
import { findDomainProblem, hashPermit, PERMIT2_PRIMARY_TYPE } from '../../shared/domain/permit2.ts'
import type { SwapFee } from '../../shared/runtime/swap-config.ts'
import type { Permit2Offer, SwapAsk, SwapOffer } from './provider.ts'

/** What an offer is judged by. */
export type OfferTerms = {
  readonly ask: SwapAsk
  /** The service's own fee; nobody else's is to come out of the swap in our name. */
  readonly fee: SwapFee | null
  readonly now: Date
}

/** No amount of a contract is larger. */
const MAX_UINT256 = 2n ** 256n - 1n

/** A swap takes some 200,000; no block of our networks but their largest has room for more. */
const MAX_GAS = 30_000_000n

const BPS = 10_000n

/**
 * Tells why an offer must not reach a payer; `null` if nothing is wrong with it.
 *
 * A provider is not trusted with where the money goes. What this cannot see is inside `transaction.data`, whose form is
 * the provider's own: its adapter looks there. Nor is there a price to compare with: the payer sees `inputAmount`, and
 * can lose no more.
 */
export function findOfferProblem(offer: SwapOffer, terms: OfferTerms): string | null {
  return (
    findAmountProblem(offer, terms) ?? findFeeProblem(offer, terms) ?? findTransactionProblem(offer, terms)
  )
}

function findAmountProblem(offer: SwapOffer, { ask }: OfferTerms): string | null {
  if (offer.sellToken !== ask.sellToken.address)
    return `sells ${offer.sellToken}, not ${ask.sellToken.address}`
  if (offer.buyToken !== ask.buyToken) return `buys ${offer.buyToken}, not ${ask.buyToken}`
  if (offer.buyAtomic !== ask.buyAtomic) return `buys ${offer.buyAtomic}, not ${ask.buyAtomic}`
  if (offer.maxSellAtomic <= 0n) return 'sells nothing'
  return offer.maxSellAtomic > MAX_UINT256 ? 'sells more than a token can have' : null
}

/** Fees have no unit of their own in our answer: they are in units of the output token, or there is no quote. */
function findFeeProblem({ serviceFee, providerFee, buyToken }: SwapOffer, terms: OfferTerms): string | null {
  const foreign = [serviceFee, providerFee].find((fee) => fee !== null && fee.token !== buyToken)
  if (foreign) return `takes a fee in ${foreign.token}, not in ${buyToken}`
  const taken = serviceFee?.atomic ?? 0n
  const allowed = divCeil(terms.ask.buyAtomic * BigInt(terms.fee?.bps ?? 0), BPS)
  return taken > allowed ? `takes ${taken} as our fee, above ${allowed}` : null
}

function findTransactionProblem(offer: SwapOffer, terms: OfferTerms): string | null {
  const { transaction, permit2, maxSellAtomic } = offer
  if (transaction.gas !== null && (transaction.gas <= 0n || transaction.gas > MAX_GAS))
    return `asks for ${transaction.gas} gas`
  const valueWei = terms.ask.sellToken.isNative ? maxSellAtomic : 0n
  if (transaction.valueWei !== valueWei) return `sends ${transaction.valueWei} wei, not ${valueWei}`
  if (terms.ask.sellToken.isNative) return permit2 === null ? null : 'wants a permit for the native coin'
  return permit2 === null ? 'wants no permit for a token' : findPermitProblem(permit2, offer, terms)
}

function findPermitProblem(permit: Permit2Offer, offer: SwapOffer, terms: OfferTerms): string | null {
  const { chainId, sellToken } = terms.ask
  if (permit.primaryType !== PERMIT2_PRIMARY_TYPE) return 'permit2 is of another type'
  const ofDomain = findDomainProblem(permit, chainId)
  if (ofDomain !== null) return ofDomain
  if (permit.token !== sellToken.address) return `permits ${permit.token}, not ${sellToken.address}`
  if (permit.amountAtomic !== offer.maxSellAtomic)
    return `permits ${permit.amountAtomic}, not ${offer.maxSellAtomic}`
  if (permit.spender !== offer.transaction.to)
    return `permits ${permit.spender} to spend, not ${offer.transaction.to}`
  if (permit.deadline * 1000n <= BigInt(terms.now.getTime())) return 'permits nothing any more'
  return hashPermit(permit, chainId) === permit.hash ? null : 'permit2 has another hash than it says'
}
