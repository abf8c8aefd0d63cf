import { BaseError } from 'viem'
import { findRevert } from '../../../shared/chain/nodes/simulate.ts'
import { cleanText } from './clean-text.ts'

/**
 * Returns the name of the contract error that a call reverted with, or the message of another revert.
 *
 * @throws the given error if it is not a revert, because the call might still succeed
 */
export function getRevertReason(error: unknown): string {
  const revert = error instanceof BaseError ? findRevert(error) : null
  if (revert === null) throw error
  return cleanText(revert.name ?? revert.message)
}
