import { errorCode, isRetryable } from '../../shared/db/connect.ts'

/** SQLSTATE of a canceled statement, for example by `statement_timeout`. */
const CANCELED = '57014'

/**
 * Returns whether a single attempt might have made a batch fail, so that each attempt should be recorded on its own.
 *
 * Neither a retryable error nor a canceled statement qualifies. A canceled statement has usually waited for a lock, and
 * recording a hundred attempts one by one would wait for that lock a hundred times.
 */
export function isAttemptError(error: unknown): boolean {
  return !isRetryable(error) && errorCode(error) !== CANCELED
}
