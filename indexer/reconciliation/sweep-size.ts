import { getAllowedPerSecond } from '../../shared/domain/node-need.ts'
import type { DeploymentConfig } from '../../shared/runtime/networks-config.ts'
import { CHARGES_PER_REQUEST } from './sources-by-family.ts'

/** Charges compared in one turn of 30 s, which is 10,000 per minute. */
export const CHARGES_PER_TURN = 5_000

/** Maximum part of a node's limit that the comparison of balances may use, from 0 to 1. */
const SWEEP_PART = 0.15

/**
 * Returns the number of charges whose balances are compared in one turn. With limited nodes, a full rotation takes
 * longer. This affects no decision, because the balances of a charge are read again before it ends.
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
