import { BaseError } from 'viem'
import { findRevert } from '../../../shared/chain/nodes/simulate.ts'
import { cleanText } from './clean-text.ts'

/**
 * Returns why a call reverted, as the contract or its token says.
 *
 * @throws the error itself if it is no revert, because then the chain has not decided
 */
export function getRevertReason(error: unknown): string {
  const revert = error instanceof BaseError ? findRevert(error) : null
  if (revert === null) throw error
  return cleanText(revert.name ?? revert.message)
}
