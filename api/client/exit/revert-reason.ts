import { BaseError } from 'viem'
import { findRevert } from '../../../shared/chain/nodes/simulate.ts'
import { cleanText } from './clean-text.ts'

/**
 * Returns why a call reverted, as reported by the contract or its token.
 *
 * @throws the error itself if it is not a revert, because then the call might still succeed
 */
export function getRevertReason(error: unknown): string {
  const revert = error instanceof BaseError ? findRevert(error) : null
  if (revert === null) throw error
  return cleanText(revert.name ?? revert.message)
}
