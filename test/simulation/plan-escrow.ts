import { ESCROW_ACTIONS } from '../../shared/domain/escrow-action.ts'
import type { Random } from '../support/seeded-random.ts'
import type { Plan } from './plan-types.ts'
import type { EscrowPlan, PlannedDust, PlannedEscrow } from './planned-escrow.ts'

export const NO_ESCROW: EscrowPlan = { escrows: new Map(), dust: new Map() }

const PART = 0.3

/** In three of ten histories, gives most charges an escrow, and has strangers send dust to most charges. */
export function withEscrow(random: Random, plan: Plan): Plan {
  if (random.fraction() >= PART) return plan
  const escrows = new Map(
    plan.charges.flatMap((charge, index) =>
      random.fraction() < 0.75 ? [[index, drawEscrow(random, charge.expiresInMs)] as const] : [],
    ),
  )
  const dust = new Map(
    plan.charges.map((charge, index) => [
      index,
      Array.from({ length: random.pick([0, 1, 1, 2]) }, () => drawDust(random, charge, plan)),
    ]),
  )
  return { ...plan, escrows, dust }
}

function drawEscrow(random: Random, expiresInMs: number): PlannedEscrow {
  const afterMs = () => 3_000 + random.integer(expiresInMs + 15_000)
  return {
    orders: Array.from({ length: random.pick([0, 1, 1, 1, 2]) }, () => ({
      ...{ afterMs: afterMs(), action: random.pick(ESCROW_ACTIONS) },
      thinksMs: random.pick([0, 200, 1_000 + random.integer(8_000)]),
      strangerAfterMs: random.fraction() < 0.25 ? random.integer(8_000) : null,
      ...{ meetsDust: random.fraction() < 0.4, isPersistent: random.fraction() < 0.75 },
    })),
    moves: Array.from({ length: random.pick([0, 0, 1, 2]) }, () => ({
      ...{ afterMs: afterMs(), to: random.pick(['split', 'split', 'payer', 'releaser', 'safe'] as const) },
      permille: random.pick([1, 200, 500, 985, 995, 1_000, 1_000, 1_000]),
    })),
    ownMoneyAfterMs: random.fraction() < 0.2 ? afterMs() : null,
  }
}

function drawDust(
  random: Random,
  { expiresInMs }: { readonly expiresInMs: number },
  { deployments }: Plan,
): PlannedDust {
  const { chainId, tokens } = random.pick(deployments)
  const afterMs = random.pick([random.integer(expiresInMs + 15_000), -random.integer(4_000)])
  return {
    ...{ afterMs, chainId, tokenIndex: random.integer(tokens.length) },
    ...{ isOneUnit: random.fraction() < 0.5, isToSplit: random.fraction() < 0.3 },
  }
}
