import type { Random } from '../support/seeded-random.ts'
import type { Plan, PlannedCharge } from './plan-types.ts'

/** Duration of the faults. It is longer than in other histories, so that at times a network has no open charge. */
const SLEEPY_MS = 150_000
const MAX_SHIFT_MS = SLEEPY_MS - 50_000
/** Lifetime of a charge, short enough for its networks to sleep between two charges. */
const LIFE_MS = { least: 3_000, most: 16_000 }
/** Maximum time until a woken feed shows its first block. Usually this takes three to five seconds. */
const WAKING_MS = 6_000

/**
 * Lets networks sleep and wake in two of three histories. Spreads the charges and the disturbances over a longer time.
 * Payments arrive while the charge wakes its networks, during its life, or long after its end.
 */
export function withSleep(random: Random, plan: Plan): Plan {
  if (random.fraction() < 1 / 3) return plan
  const charges = plan.charges.map((charge) =>
    shiftCharge(shorten(random, charge), random.integer(MAX_SHIFT_MS)),
  )
  const troubles = plan.troubles.map((trouble) => ({
    ...trouble,
    atMs: trouble.atMs + random.integer(MAX_SHIFT_MS),
  }))
  const sleep = {
    afterSeconds: random.pick([1, 2, 4, 8]),
    asleep: plan.deployments.map(({ chainId }) => chainId).filter(() => random.fraction() < 0.5),
    deathsMs: charges.flatMap(({ atMs }) =>
      random.fraction() < 0.3 ? [atMs + random.integer(WAKING_MS)] : [],
    ),
  }
  return { ...plan, charges, troubles, sleep, troubledMs: SLEEPY_MS }
}

function shorten(random: Random, charge: PlannedCharge): PlannedCharge {
  const expiresInMs = LIFE_MS.least + random.integer(LIFE_MS.most - LIFE_MS.least)
  const atMs = () =>
    random.pick([
      200 + random.integer(WAKING_MS),
      500 + random.integer(expiresInMs + 2_000),
      expiresInMs + 5_000 + random.integer(60_000),
    ])
  const payments = charge.payments.map((payment) => ({ ...payment, atMs: charge.atMs + atMs() }))
  return { ...charge, expiresInMs, payments }
}

export function shiftCharge(charge: PlannedCharge, byMs: number): PlannedCharge {
  return {
    ...charge,
    atMs: charge.atMs + byMs,
    payments: charge.payments.map((payment) => ({ ...payment, atMs: payment.atMs + byMs })),
    checks: charge.checks.map((check) => ({ ...check, atMs: check.atMs + byMs })),
    keeperAtMs: charge.keeperAtMs === null ? null : charge.keeperAtMs + byMs,
  }
}
