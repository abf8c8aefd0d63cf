import type { ProofFailure } from '../../shared/domain/evidence/proof-failure.ts'

/** The result of an attempt to prove a receipt. */
export type FailedAttempt = {
  /** `null` for a proof. */
  readonly reason: ProofFailure | null
  /** Number of this attempt, from 1. */
  readonly attempts: number
  readonly nodes: number
  /** Whether every node of the chain gave this reason in this attempt. */
  readonly isUnanimous: boolean
  /** Time of the block, in Unix seconds. */
  readonly blockTimestamp: number
}

/**
 * Returns whether an attempt counts even if a budget prevented the query of a node: it succeeded, or its failure
 * follows from the block or from our rules and not from the other nodes. Otherwise, such an attempt is repeated,
 * beginning with the same node.
 */
export function isIndependentOfNodes(reason: ProofFailure | null): boolean {
  return reason === null || reason === 'not_committed' || reason === 'too_large' || reason === 'dust'
}

/**
 * Maximum attempts. With delays that double from a minute up to 6 h, the last attempt is made about 20 h after the
 * first.
 */
const MAX_ATTEMPTS = 12
/**
 * Minimum attempts for `unknown_receipts`, over 7 minutes, because a single node might return incomplete receipts for
 * some minutes.
 */
const MIN_ATTEMPTS = 4
/** Age of a block, in seconds, above which every node is expected to have it, unless the node deletes old blocks. */
const OLD_SECONDS = 86_400

/**
 * Returns whether an attempt failed and must not be repeated. Attempts are limited because each requests a whole block.
 * A single node must not end the attempts, because it may lie.
 */
export function isFinalFailure(attempt: FailedAttempt, nowMs: number = Date.now()): boolean {
  const { reason, attempts, nodes, isUnanimous, blockTimestamp } = attempt
  switch (reason) {
    case null:
      return false
    case 'not_committed':
    case 'too_large':
    case 'dust':
      return true
    case 'unknown_header':
      return isUnanimous || attempts >= MAX_ATTEMPTS
    case 'block_not_served':
      return (isUnanimous && blockTimestamp < nowMs / 1_000 - OLD_SECONDS) || attempts >= MAX_ATTEMPTS
    case 'unknown_receipts':
      // Each attempt starts with the next node. With up to six nodes, each is usually first at least twice.
      return attempts >= Math.min(MAX_ATTEMPTS, Math.max(MIN_ATTEMPTS, 2 * nodes))
  }
}
