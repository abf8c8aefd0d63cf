import type { Random } from '../support/seeded-random.ts'
import type { Plan, PlannedPayment } from './plan-types.ts'
import { replaceChain } from './replace-chain.ts'
import { ARC_DEPLOYMENTS } from './world.ts'

const PART = 1 / 8

/** Replaces a chain with Arc in an eighth of all histories. Arc's blocks are never reorganized. */
export function withArc(random: Random, plan: Plan): Plan {
  if (random.fraction() >= PART) return plan
  const replaced = random.pick(plan.deployments)
  const arc = ARC_DEPLOYMENTS.find(({ environment }) => environment === replaced.environment)
  if (arc === undefined) throw new Error(`there is no Arc for ${replaced.environment}`)
  const { chainId } = arc
  const drawn = replaceChain(plan, replaced, arc)
  return {
    ...drawn,
    charges: drawn.charges.map((charge) => ({
      ...charge,
      payments: charge.payments.map((payment) =>
        payment.chainId === chainId ? drawCoins(random, payment) : payment,
      ),
    })),
    troubles: drawn.troubles.filter((one) => one.kind !== 'reorganization' || one.chainId !== chainId),
  }
}

/** Amounts added to a payment's share, in 10⁻¹⁸ dollars. The largest are close to one unit of the token. */
const EXTRAS = [-1n, 0n, 1n, 6n * 10n ** 11n, 10n ** 12n - 1n, 10n ** 12n + 1n]

function drawCoins(random: Random, payment: PlannedPayment): PlannedPayment {
  return random.fraction() < 1 / 3 ? payment : { ...payment, extraAtto: random.pick(EXTRAS) }
}
