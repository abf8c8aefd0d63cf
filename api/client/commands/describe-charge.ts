import type { Schema } from '../schema.ts'

/** Describes a charge's state in one line, such as `confirmed  10 of 10 USD, settlement pending`. */
export function describeCharge(charge: Schema<'Charge'>): string {
  const { status, settlementStatus, amountReceivedExact, amountExact, escrow } = charge
  const received = `${amountReceivedExact ?? '0'} of ${amountExact} USD`
  const settlement = settlementStatus === null ? '' : `, settlement ${settlementStatus}`
  const refunded = escrow !== null && escrow.refundedAt !== null ? ', refunded' : ''
  return `${status}  ${received}${settlement}${refunded}`
}
