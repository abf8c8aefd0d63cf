import { presentAddress, presentTransactionHash } from '../../shared/domain/chain-families/chain-families.ts'
import { formatDecimal, toNumber } from '../../shared/domain/decimal.ts'
import type { RefundRecord } from '../../shared/domain/refund/refund.ts'
import { presentRefundPayment } from '../../shared/domain/refund/refund-payment.ts'

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
    destination: presentAddress(refund.destination, family),
    reason: refund.reason,
    payment: presentPayment(refund),
    txHash: presentTransactionHash(refund.txHash, family),
    ...{ createdAt: refund.createdAt, expiresAt: refund.expiresAt, confirmedAt: refund.confirmedAt },
  }
}

/** An ended or paid refund has no payment, so that an old page does not lead to a second payment. */
function presentPayment(refund: RefundRecord) {
  const { status, chainId, tokenAddress } = refund
  if (status !== 'awaiting_payment' || chainId === null || tokenAddress === null) return null
  return presentRefundPayment({ ...refund, chainId, tokenAddress })
}
