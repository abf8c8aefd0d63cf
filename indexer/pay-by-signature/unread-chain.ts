import { BaseError } from 'viem'
import { AppError } from '../../shared/domain/errors.ts'

type UnreadChain = { readonly error: string; readonly reason: string }

/**
 * Returns the log fields of an error if it shows that the chain could not be read, because too few nodes responded or
 * the nodes contradict each other. Returns `null` for any other error.
 *
 * Only viem's short message is logged, because the full message quotes the call, which contains the signature.
 */
export function describeUnread(error: unknown): UnreadChain | null {
  if (error instanceof BaseError) return { error: error.name, reason: error.shortMessage }
  if (!(error instanceof AppError) || error.code !== 'rpc_unavailable') return null
  const { code, message, cause } = error
  const reason = cause instanceof BaseError ? `${message}: ${cause.shortMessage}` : message
  return { error: code, reason }
}
