import type { Random } from '../support/seeded-random.ts'
import type { Plan } from './plan-types.ts'
import type { PlannedSignature, SignaturePlan } from './planned-signature.ts'

export const NO_SIGNATURES: SignaturePlan = { signatures: new Map() }

const SHARE = 0.25
/**
 * Minimum lifetime of a charge that is paid by signature, because the service requests no signature in the last two
 * minutes of a charge.
 */
const LIFE_MS = 150_000

/**
 * In a quarter of all histories, lets payers pay some charges by signature. These charges expire later, and have at
 * most one other payment.
 */
export function withSignatures(random: Random, plan: Plan): Plan {
  if (random.fraction() >= SHARE) return plan
  const chosen = plan.charges.map(() => random.fraction() < 0.6)
  const signatures = new Map(
    plan.charges.flatMap((_, index) =>
      chosen[index] === true
        ? [[index, Array.from({ length: random.pick([1, 1, 2, 3]) }, () => drawSignature(random))] as const]
        : [],
    ),
  )
  const charges = plan.charges.map((charge, index) =>
    chosen[index] === true
      ? { ...charge, expiresInMs: LIFE_MS + random.integer(30_000), payments: charge.payments.slice(0, 1) }
      : charge,
  )
  return { ...plan, charges, signatures }
}

function drawSignature(random: Random): PlannedSignature {
  const perhaps = (probability: number) => (random.fraction() < probability ? random.integer(9_000) : null)
  return {
    ...{ afterMs: 3_000 + random.integer(25_000), validSeconds: random.pick([10, 12, 14, 20, 40, 60]) },
    ...{ strangerAfterMs: perhaps(0.3), canceledAfterMs: perhaps(0.15) },
    isNonceOld: random.fraction() < 0.2,
  }
}
