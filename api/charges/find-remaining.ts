import { type ChargeRecord, isOpen } from '../../shared/domain/charge.ts'
import { type AttoDollars, atto, microToAtto } from '../../shared/domain/money.ts'

/** Answers what is still to be paid of a charge, above zero; `null` if it is decided, or nothing of it remains. */
export function findRemaining({ status, amountMicro, receivedAtto }: ChargeRecord): AttoDollars | null {
  const remaining = atto(microToAtto(amountMicro) - (receivedAtto ?? 0n))
  return isOpen({ status }) && remaining > 0n ? remaining : null
}
