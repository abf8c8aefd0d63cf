import type { Static } from '@sinclair/typebox'
import { checksum } from '../../../shared/domain/address.ts'
import { formatDecimal, toNumber } from '../../../shared/domain/decimal.ts'
import { PERMIT2, presentPermit } from '../../../shared/domain/swap/permit2.ts'
import type { SwapOffer } from '../../swap/provider.ts'
import type { QuotePlan } from './plan-quote.ts'
import type { SwapQuote } from './schema.ts'

/** Validity of a quote: half of the about 60 s for which a provider's prices are valid. */
const VALID_FOR_MS = 30_000

/** Returns the JSON of a quote from a verified offer, without any text from the provider. */
export function presentQuote(plan: QuotePlan, offer: SwapOffer, now: Date): Static<typeof SwapQuote> {
  const { serviceFee, providerFee } = offer
  const { inputDecimals, outputDecimals } = plan
  return {
    inputToken: plan.input.token,
    inputNetwork: plan.input.network,
    inputAmount: toNumber(offer.maxSellAtomic, inputDecimals),
    inputAmountExact: formatDecimal(offer.maxSellAtomic, inputDecimals),
    outputToken: plan.output.token,
    outputNetwork: plan.output.network,
    outputAmount: toNumber(offer.buyAtomic, outputDecimals),
    outputAmountExact: formatDecimal(offer.buyAtomic, outputDecimals),
    fees: {
      serviceFee: toNumber(serviceFee?.atomic ?? 0n, outputDecimals),
      serviceFeeExact: formatDecimal(serviceFee?.atomic ?? 0n, outputDecimals),
      providerFee: providerFee && toNumber(providerFee.atomic, outputDecimals),
      providerFeeExact: providerFee && formatDecimal(providerFee.atomic, outputDecimals),
    },
    transaction: presentTransaction(offer),
    permit2: offer.permit2 && {
      type: 'Permit2',
      hash: offer.permit2.hash,
      eip712: presentPermit(offer.permit2, plan.ask.chainId),
    },
    allowanceTarget: offer.permit2 && checksum(PERMIT2),
    expiresAt: getExpiry(plan, offer, now).toISOString(),
  }
}

function presentTransaction({ transaction }: SwapOffer) {
  const { to, data, valueWei, gas } = transaction
  return {
    to: checksum(to),
    data,
    // A string, because a JSON number would lose digits.
    value: valueWei.toString(),
    ...(gas !== null && { gas: gas.toString() }),
  }
}

/** Returns the expiry of the quote: at most the charge's expiry, because a payment mined later would be late. */
function getExpiry({ chargeExpiresAt }: QuotePlan, { permit2 }: SwapOffer, now: Date): Date {
  const permitMs = permit2 === null ? Number.POSITIVE_INFINITY : Number(permit2.deadline * 1000n)
  return new Date(Math.min(now.getTime() + VALID_FOR_MS, permitMs, chargeExpiresAt.getTime()))
}
