import { type ChargeRecord, isOpen } from '../../shared/domain/charge.ts'
import { type AttoDollars, atto, microToAtto } from '../../shared/domain/money.ts'

/**
 * Returns the part of an open charge's amount that has not been received yet, or `null` if the charge is no longer open
 * or is fully paid.
 */
export function findRemaining({ status, amountMicro, receivedAtto }: ChargeRecord): AttoDollars | null {
  const remaining = atto(microToAtto(amountMicro) - (receivedAtto ?? 0n))
  return isOpen({ status }) && remaining > 0n ? remaining : null
}
