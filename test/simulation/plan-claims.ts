import type { Random } from '../support/seeded-random.ts'
import type { Plan } from './plan-types.ts'
import type { ClaimPlan, PlannedClaim } from './planned-claim.ts'

export const NO_CLAIMS: ClaimPlan = { claims: new Map() }

const PART = 0.2
/** Amounts of refunds. They are often at most the received amount, so that the service accepts the refund. */
const AMOUNTS = ['1.1', '1.1', '1.3', 'all']
const ENDS = [
  ...(['early cancellation', 'late cancellation', 'early deadline', 'late deadline'] as const),
  'last deadline' as const,
  ...([null, null, null, null, null, null] as const),
]

/** In a fifth of all histories, lets payers name the destinations of refunds of most paid charges without an escrow. */
export function withClaims(random: Random, plan: Plan): Plan {
  if (random.fraction() >= PART) return plan
  const claims = new Map(
    plan.charges.flatMap((charge, index) => {
      const drawn = Array.from({ length: random.pick([0, 1, 1, 2]) }, () => drawClaim(random))
      const isPossible = drawn.length > 0 && charge.payments.length > 0 && !plan.escrows.has(index)
      return isPossible ? [[index, drawn] as const] : []
    }),
  )
  return { ...plan, claims }
}

function drawClaim(random: Random): PlannedClaim {
  const has = (probability: number) => random.fraction() < probability
  return {
    ...{ delayMs: 500 + random.integer(8_000), amount: random.pick(AMOUNTS) },
    pairIndex: has(0.3) ? random.integer(6) : null,
    opensAfterMs: 200 + random.integer(6_000),
    renews: random.pick(['before', 'meanwhile', null, null]),
    ...{ isFirstForbidden: has(0.2), givesTwo: has(0.2), isShared: has(0.3) },
    rejections: random.pick([0, 0, 0, 1, 1, 2]),
    ...{ mistakes: has(0.3), isOldLinkUsed: has(0.7), end: random.pick(ENDS) },
    paysAfterMs: Array.from({ length: random.pick([0, 1, 1, 1, 2]) }, () => 300 + random.integer(10_000)),
    cancelsAfterMs: has(0.2) ? 300 + random.integer(12_000) : null,
  }
}
