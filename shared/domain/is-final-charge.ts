import type { ChargeRecord } from './charge.ts'

/** Tells whether nothing more is to be expected of a charge: `expired`, paid out or failed to be, or refunded. */
export function isFinalCharge({ status, settlementStatus, escrow }: ChargeRecord): boolean {
  if (status === 'expired' || (escrow !== null && escrow.refundedAt !== null)) return true
  const isDecided = status === 'confirmed' || status === 'underpaid'
  return isDecided && (settlementStatus === 'completed' || settlementStatus === 'failed')
}
