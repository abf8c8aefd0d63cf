import { errorCode, isRetryable } from '../../shared/db/connect.ts'

/** SQLSTATE of a canceled statement, for example by `statement_timeout`. */
const CANCELED = '57014'

/**
 * Whether a single attempt might have caused the failure of a batch, so that each attempt should be recorded on its
 * own.
 *
 * A canceled statement does not qualify: it waited for a lock, and a hundred statements would wait for that lock in
 * sequence.
 */
export function isAttemptError(error: unknown): boolean {
  return !isRetryable(error) && errorCode(error) !== CANCELED
}
