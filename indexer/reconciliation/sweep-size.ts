import { getAllowedPerSecond } from '../../shared/domain/node-need.ts'
import type { DeploymentConfig } from '../../shared/runtime/networks-config.ts'
import { CHARGES_PER_REQUEST } from './sources-by-family.ts'

/** Maximum charges compared in one turn. With a turn every 30 s, this is 10,000 per minute. */
export const CHARGES_PER_TURN = 5_000

/** Maximum fraction of a node's limit that the comparison of balances may use. */
const SWEEP_PART = 0.15

/**
 * Returns the maximum number of charges whose balances are compared in one turn. With limited nodes, a full rotation
 * takes longer. This affects no expiry, because a charge's balances are read again before it expires.
 */
export function getSweepSize(
  { family, nodes, budgetShare = 1 }: Pick<DeploymentConfig, 'family' | 'nodes' | 'budgetShare'>,
  turnSeconds: number,
): number {
  const allowed = nodes
    .map((node) => getAllowedPerSecond(node, budgetShare))
    .filter((limit) => limit !== null)
  if (allowed.length === 0) return CHARGES_PER_TURN
  const requests = Math.max(1, Math.floor(Math.min(...allowed) * turnSeconds * SWEEP_PART))
  return Math.min(CHARGES_PER_TURN, requests * CHARGES_PER_REQUEST[family])
}
