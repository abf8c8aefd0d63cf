import type { Random } from '../support/seeded-random.ts'
import { LIED_BACK_BLOCKS, type PlannedTrouble } from './plan-faults.ts'
import type { Plan } from './plan-types.ts'

/** Share of the histories, before those in which the disturbances do not fit. */
const SHARE = 0.9
/** Time for a payment to be mined and credited. */
const CREDITED_MS = 8_000

/**
 * Makes credited payments vanish from the only node that responds: in a tenth of all histories, one node of a chain
 * shows a fork without transfers from blocks that are already counted, and the other nodes fail. The feed then removes
 * the rows, although the chain still has the payments. The disturbances are last in the list, so that the others keep
 * their numbers.
 */
export function withForks(random: Random, plan: Plan): Plan {
  const payments = plan.charges.flatMap((charge) => charge.payments)
  // Losses and operators' commands are planned for certain nodes that lie or are silent.
  const isOther = plan.losses.length > 0 || plan.commands.length > 0
  if (payments.length === 0 || isOther || random.fraction() >= SHARE) return plan
  const { chainId, atMs: paidMs } = random.pick(payments)
  const nodes = plan.deployments.find((each) => each.chainId === chainId)?.nodes ?? []
  const atMs = paidMs + CREDITED_MS + random.integer(3_000)
  const forMs = 12_000 + random.integer(10_000)
  const isBeside = (one: PlannedTrouble) =>
    one.kind === 'node' && one.chainId === chainId && one.atMs < atMs + forMs && atMs < one.atMs + one.forMs
  if (atMs + forMs > plan.troubledMs || plan.troubles.some(isBeside)) return plan
  const liar = findLiar(plan, chainId) ?? random.integer(nodes.length)
  const at = { chainId, atMs, forMs } as const
  const modes = nodes.map(
    (_, nodeIndex): PlannedTrouble => ({
      ...({ ...at, kind: 'node', nodeIndex } as const),
      mode: nodeIndex === liar ? 'omitting' : 'failing',
    }),
  )
  const lie = {
    ...at,
    kind: 'lie',
    nodeIndex: liar,
    lies: ['forks'],
    since: LIED_BACK_BLOCKS + 3 + random.integer(4),
  } as const
  return { ...plan, troubles: [...plan.troubles, ...modes, lie] }
}

/** Only one node of a chain may lie. */
function findLiar({ troubles }: Plan, chainId: number): number | null {
  const lie = troubles.find((one) => one.kind === 'lie' && one.chainId === chainId)
  return lie?.kind === 'lie' ? lie.nodeIndex : null
}
