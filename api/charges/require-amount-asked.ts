import { type AskingFacts, findAmountAsked } from '../../shared/domain/amount-due.ts'
import { isOpen } from '../../shared/domain/charge.ts'
import { AppError } from '../../shared/domain/errors.ts'
import type { AttoDollars } from '../../shared/domain/money.ts'

/**
 * Returns the amount, above zero, that may be requested from a payer now. The checkout requests the same amount.
 *
 * @throws {AppError} `charge_not_payable` if no amount may be requested
 */
export function requireAmountAsked(
  facts: AskingFacts & { readonly charge: { readonly id: string } },
  now: Date,
): AttoDollars {
  const asked = findAmountAsked(facts, now)
  if (asked !== null) return asked
  throw new AppError('charge_not_payable', `${facts.charge.id} cannot be paid: ${explain(facts, now)}`)
}

function explain({ charge, isSignatureInFlight }: AskingFacts, now: Date): string {
  if (!isOpen(charge)) return `it is ${charge.status}`
  if (charge.expiresAt <= now) return 'its time has ended'
  return isSignatureInFlight ? 'a payment by signature is in progress' : 'no amount is due'
}
