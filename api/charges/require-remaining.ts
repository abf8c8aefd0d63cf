import { type ChargeRecord, isOpen } from '../../shared/domain/charge.ts'
import { AppError } from '../../shared/domain/errors.ts'
import { type AttoDollars, atto, microToAtto } from '../../shared/domain/money.ts'

/**
 * Answers what is still to be paid of a charge, above zero.
 *
 * @throws {AppError} `charge_not_payable` if it is decided, or nothing of it remains
 */
export function requireRemaining({ id, status, amountMicro, receivedAtto }: ChargeRecord): AttoDollars {
  const remaining = atto(microToAtto(amountMicro) - (receivedAtto ?? 0n))
  const waits = isOpen({ status })
  if (waits && remaining > 0n) return remaining
  const why = waits ? 'nothing of it remains to be paid' : `it is ${status}`
  throw new AppError('charge_not_payable', `${id} cannot be paid: ${why}`)
}
