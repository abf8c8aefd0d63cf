import { type ChargeRecord, isOpen } from '../../shared/domain/charge.ts'
import { AppError } from '../../shared/domain/errors.ts'
import type { AttoDollars } from '../../shared/domain/money.ts'
import { findRemaining } from './find-remaining.ts'

/**
 * Returns the amount due of a charge, above zero.
 *
 * @throws {AppError} `charge_not_payable` if the charge is no longer open or is fully paid
 */
export function requireRemaining(charge: ChargeRecord): AttoDollars {
  const remaining = findRemaining(charge)
  if (remaining !== null) return remaining
  const why = isOpen(charge) ? 'no amount is due' : `it is ${charge.status}`
  throw new AppError('charge_not_payable', `${charge.id} cannot be paid: ${why}`)
}
