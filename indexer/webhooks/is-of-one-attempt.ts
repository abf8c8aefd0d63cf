import { errorCode, isRetryable } from '../../shared/db/connect.ts'

/** SQLSTATE of a statement that was canceled, as by `statement_timeout`. */
const CANCELED = '57014'

/**
 * Tells whether one attempt alone may have made the record of a batch fail, so that each is to be recorded by itself.
 *
 * Not so of a statement that took too long: it waited for a lock, and a hundred would wait for it one after the other.
 */
export function isOfOneAttempt(error: unknown): boolean {
  return !isRetryable(error) && errorCode(error) !== CANCELED
}
