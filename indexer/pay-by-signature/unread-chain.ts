import { BaseError } from 'viem'
import { AppError } from '../../shared/domain/errors.ts'

/** Fields that a log may contain about a failed read. */
type UnreadChain = { readonly error: string; readonly reason: string }

/**
 * Returns the log fields of an error that means that the chain could not be read: too few nodes responded, or they
 * contradict each other. Returns `null` for any other error.
 *
 * Only viem's short message is logged: the rest quotes the call, and with it the signature.
 */
export function describeUnread(error: unknown): UnreadChain | null {
  if (error instanceof BaseError) return { error: error.name, reason: error.shortMessage }
  if (!(error instanceof AppError) || error.code !== 'rpc_unavailable') return null
  const { code, message, cause } = error
  const reason = cause instanceof BaseError ? `${message}: ${cause.shortMessage}` : message
  return { error: code, reason }
}
