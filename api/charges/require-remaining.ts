import { type ChargeRecord, isOpen } from '../../shared/domain/charge.ts'
import { AppError } from '../../shared/domain/errors.ts'
import type { AttoDollars } from '../../shared/domain/money.ts'
import { findRemaining } from './find-remaining.ts'

/**
 * Answers what is still to be paid of a charge, above zero.
 *
 * @throws {AppError} `charge_not_payable` if it is decided, or nothing of it remains
 */
export function requireRemaining(charge: ChargeRecord): AttoDollars {
  const remaining = findRemaining(charge)
  if (remaining !== null) return remaining
  const why = isOpen(charge) ? 'nothing of it remains to be paid' : `it is ${charge.status}`
  throw new AppError('charge_not_payable', `${charge.id} cannot be paid: ${why}`)
}
