import { errorCode, isRetryable } from '../../shared/db/connect.ts'

/** SQLSTATE of a canceled statement, for example by `statement_timeout`. */
const CANCELED = '57014'

/**
 * Returns whether a single attempt might have made a batch fail. If so, each attempt should be recorded on its own.
 *
 * Returns false for a retryable error and for a canceled statement. A canceled statement has usually waited for a lock,
 * and recording 100 attempts one by one would wait for that lock 100 times.
 */
export function isAttemptError(error: unknown): boolean {
  return !isRetryable(error) && errorCode(error) !== CANCELED
}
