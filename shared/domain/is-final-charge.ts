import type { ChargeRecord } from './charge.ts'

/** Returns whether a charge is final: it expired, its escrow was refunded, or its settlement completed or failed. */
export function isFinalCharge({ status, settlementStatus, escrow }: ChargeRecord): boolean {
  if (status === 'expired' || (escrow !== null && escrow.refundedAt !== null)) return true
  const isDecided = status === 'confirmed' || status === 'underpaid'
  return isDecided && (settlementStatus === 'completed' || settlementStatus === 'failed')
}
