import type { Random } from '../support/seeded-random.ts'
import { ABOVE_BLOCKS } from './model/other-chain.ts'
import type { Plan } from './plan-types.ts'
import type {
  FeedFault,
  PlannedQuarantine,
  PlannedRepair,
  RepairPlan,
  RepairStart,
} from './planned-repair.ts'

export const NO_REPAIRS: RepairPlan = { repairs: [], quarantines: [] }

/** Probability of each part in a history. */
const SHARES = { repair: 1 / 8, quarantine: 1 / 8 }
/** Time from a fault until the first order. */
const NOTICED_MS = { least: 1_000, most: 22_000 }
/** Maximum time between two orders. */
const MAX_BETWEEN_MS = 12_000
/** Maximum time between the end of Ponder and the death of the daemon that repairs the feed. */
const MAX_KILLED_AFTER_MS = 60
const ENDS_BEFORE_MS = 2_000

const FAULTS: readonly (FeedFault | null)[] = [
  ...(['follows another chain', 'follows another chain', 'begins on another chain'] as const),
  ...(['begins on another chain', 'has wrong rows', 'has wrong rows', 'stops', null] as const),
]
const STARTS: readonly RepairStart[] = ['first block', 'first block', 'before the fault', 'last block']

/**
 * Adds repairs of feeds. In an eighth of all histories, the feed of one chain becomes unusable or wrong, or operators
 * only believe that it is. They order its repair once or twice, sometimes from a block that the chain does not have,
 * while daemons die.
 */
export function withRepairs(random: Random, plan: Plan): Plan {
  if (random.fraction() >= SHARES.repair) return plan
  const { chainId } = random.pick(plan.deployments)
  const fault = random.pick(FAULTS)
  const lastMs = plan.troubledMs - ENDS_BEFORE_MS
  const atMs = fault === 'begins on another chain' ? 0 : drawFaultTime(random, { plan, lastMs })
  const orders = drawOrders(random, { atMs, lastMs, fault })
  const some = (most: number, draw: () => number) => Array.from({ length: random.integer(most + 1) }, draw)
  const repair: PlannedRepair = {
    ...{ chainId, fault, atMs, orders },
    deathsMs: some(2, () => random.pick(orders).atMs + random.integer(5_000)),
    killedAfterMs: some(2, () => random.integer(MAX_KILLED_AFTER_MS)),
  }
  const deployments = plan.deployments.map((one) =>
    one.chainId === chainId && fault === 'begins on another chain'
      ? { ...one, startBlock: ABOVE_BLOCKS }
      : one,
  )
  return { ...plan, deployments, repairs: [repair] }
}

type Bounds = { readonly atMs: number; readonly lastMs: number; readonly fault: FeedFault | null }

/** Draws a time soon after the creation of a charge, so that its payments arrive while the feed is unusable. */
function drawFaultTime(
  random: Random,
  { plan, lastMs }: { readonly plan: Plan; readonly lastMs: number },
): number {
  const { atMs } = random.pick(plan.charges)
  return Math.max(1_000, Math.min(atMs + random.integer(20_000), lastMs - NOTICED_MS.most - MAX_BETWEEN_MS))
}

/** Draws one or two orders. No block of a feed that begins on another chain is known to the operators. */
function drawOrders(random: Random, { atMs, lastMs, fault }: Bounds): PlannedRepair['orders'] {
  const firstMs = atMs + NOTICED_MS.least + random.integer(NOTICED_MS.most - NOTICED_MS.least)
  const starts = fault === 'begins on another chain' ? (['first block'] as const) : STARTS
  const last = { atMs: Math.min(firstMs, lastMs), from: random.pick(starts) }
  if (random.fraction() < 0.4) return [last]
  const from = random.fraction() < 0.5 ? 'above the chain' : random.pick(starts)
  return [
    { atMs: last.atMs, from },
    { ...last, atMs: Math.min(last.atMs + random.integer(MAX_BETWEEN_MS), lastMs) },
  ]
}

/**
 * Adds quarantines. In an eighth of all histories, the turns of one charge or of all charges fail for some time, or a
 * daemon of another build quarantines them again and again.
 */
export function withQuarantines(random: Random, plan: Plan): Plan {
  if (random.fraction() >= SHARES.quarantine) return plan
  const quarantines = Array.from({ length: random.pick([1, 1, 2]) }, (): PlannedQuarantine => {
    const forMs = 3_000 + random.integer(20_000)
    const charge = random.pick(plan.charges)
    const paidMs = charge.payments.map(({ atMs }) => atMs)
    const wantedMs = random.pick([charge.atMs, ...paidMs]) + random.integer(6_000)
    return {
      ...{ forMs, atMs: Math.max(1_000, Math.min(wantedMs, plan.troubledMs - forMs - ENDS_BEFORE_MS)) },
      kind: random.pick(['turns fail', 'turns fail', 'another build']),
      chargeIndex: random.fraction() < 0.3 ? null : random.integer(plan.charges.length),
      isReleasedEarly: random.fraction() < 0.4,
    }
  })
  return { ...plan, quarantines }
}
