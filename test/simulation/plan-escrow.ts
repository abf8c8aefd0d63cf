import { ESCROW_ACTIONS, type EscrowAction } from '../../shared/domain/escrow-action.ts'
import type { Random } from '../support/seeded-random.ts'
import type { Plan } from './plan-types.ts'

/** An order that a releaser signs and sends to the service. */
export type PlannedEscrowOrder = {
  /** Time after the creation of the charge. */
  readonly afterMs: number
  readonly action: EscrowAction
  /** Time from the signature until the order is sent. Meanwhile, the Safe may change. */
  readonly thinksMs: number
  /** Time from the signature until a stranger submits it to the chain; `null` for never. */
  readonly strangerAfterMs: number | null
  /** Whether a stranger sends dust to the Safe between the signature and the order. */
  readonly meetsDust: boolean
  /** Whether the releaser orders again until the escrow has ended. Otherwise they order once. */
  readonly isPersistent: boolean
}

/** Whom a releaser pays from their Safe on chain, without the service. */
export type DirectRecipient = 'split' | 'payer' | 'releaser' | 'safe'

/** A part of a Safe's balances that the releaser moves on chain, without the service. */
export type PlannedMove = {
  /** Time after the creation of the charge. */
  readonly afterMs: number
  readonly to: DirectRecipient
  /** Part of the balance of each token, in thousandths. */
  readonly permille: number
}

/** Dust that a stranger sends to a charge: to its address, or to the split behind its Safe. */
export type PlannedDust = {
  /** Time after the creation of the charge, or, if negative, time before its deadline. */
  readonly afterMs: number
  readonly chainId: number
  readonly tokenIndex: number
  /** Whether it is one unit. Otherwise it is just less than one percent of the charge's amount. */
  readonly isOneUnit: boolean
  readonly isToSplit: boolean
}

/** The escrow of a charge: who moves its money, and how often. */
export type PlannedEscrow = {
  readonly orders: readonly PlannedEscrowOrder[]
  readonly moves: readonly PlannedMove[]
  /** When a stranger distributes the split in the name of the Safe, after the creation; `null` for never. */
  readonly ownMoneyAfterMs: number | null
}

/** The part of a plan that concerns escrows and dust, each by the index of the charge. */
export type EscrowPlan = {
  readonly escrows: ReadonlyMap<number, PlannedEscrow>
  readonly dust: ReadonlyMap<number, readonly PlannedDust[]>
}

export const NO_ESCROW: EscrowPlan = { escrows: new Map(), dust: new Map() }

/** Part of all histories that have escrows and dust. */
const PART = 0.3

/** Gives escrows to most charges of a third of all histories, and has strangers send dust to all their charges. */
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
