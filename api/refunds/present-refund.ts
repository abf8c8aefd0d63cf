import { presentAddress, presentTransactionHash } from '../../shared/domain/chain-families/chain-families.ts'
import { formatDecimal, toNumber } from '../../shared/domain/decimal.ts'
import type { RefundRecord } from '../../shared/domain/refund/refund.ts'
import { presentRefundPayment } from '../../shared/domain/refund/refund-payment.ts'
import type { ClaimLink } from './claim-link.ts'

/** Returns the JSON of a refund with the payer's link, for the response to the request that created the link. */
export function presentRefundWithLink(refund: RefundRecord, link: ClaimLink | null) {
  return { ...presentRefund(refund), claimUrl: link?.claimUrl ?? null }
}

/** Returns the JSON of a refund. */
export function presentRefund(refund: RefundRecord) {
  const { id, chargeId, status, amountAtomic, countedAtomic, decimals, token, network, family } = refund
  return {
    ...{ id, chargeId, status },
    ...{ amount: toNumber(amountAtomic, decimals), amountExact: formatDecimal(amountAtomic, decimals) },
    ...{ amountAtomic: String(amountAtomic), decimals },
    amountCountedExact: countedAtomic === null ? null : formatDecimal(countedAtomic, decimals),
    ...{ token, network, simulated: refund.chainId === null },
    from: presentAddress(refund.sender, family),
    destination: refund.destination === null ? null : presentAddress(refund.destination, family),
    claim: presentClaim(refund),
    reason: refund.reason,
    payment: presentPayment(refund),
    txHash: presentTransactionHash(refund.txHash, family),
    ...{ createdAt: refund.createdAt, expiresAt: refund.expiresAt, confirmedAt: refund.confirmedAt },
  }
}

function presentClaim({ claim, family }: RefundRecord) {
  if (claim === null) return null
  const { destination, signer, claimedAt } = claim
  return {
    address: presentAddress(destination, family),
    signer: signer === null ? null : presentAddress(signer, family),
    claimedAt,
  }
}

/**
 * Returns `null` unless the refund awaits its payment, so that the merchant does not pay it twice.
 */
function presentPayment(refund: RefundRecord) {
  const { status, chainId, tokenAddress, destination } = refund
  if (status !== 'awaiting_payment' || destination === null) return null
  if (chainId === null || tokenAddress === null) return null
  return presentRefundPayment({ ...refund, chainId, tokenAddress, destination })
}
