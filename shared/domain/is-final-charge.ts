import type { ChargeRecord } from './charge.ts'

/** Returns whether a charge is final: `expired`, refunded, or its payout completed or failed. */
export function isFinalCharge({ status, settlementStatus, escrow }: ChargeRecord): boolean {
  if (status === 'expired' || (escrow !== null && escrow.refundedAt !== null)) return true
  const isDecided = status === 'confirmed' || status === 'underpaid'
  return isDecided && (settlementStatus === 'completed' || settlementStatus === 'failed')
}
