import type { Random } from '../support/seeded-random.ts'
import type { LieKind } from './model/lie-kinds.ts'
import type { PlannedTrouble } from './plan-faults.ts'
import type { Plan, PlannedCommand } from './plan-types.ts'
import { CONFIRMATIONS } from './world.ts'

/** Probability of each command in a history. */
const SHARES = { strike: 0.15, trustLiar: 0.12 }
/** Number of depths from which a reorganization is drawn: 3 to 10 blocks more than the confirmation depth. */
const MAX_DEEPER_BLOCKS = 8
/** Duration of a mistaken trust, in which blocks reach confirmation depth, so that the liar's rows count. */
const TRUSTED_MS = { least: 16_000, most: 28_000 }
/** The lies that add or change rows of a chain, so that strikes can undo them. */
const LIES_IN_ROWS: readonly LieKind[] = [
  'adds payments',
  'invents payments',
  'adds distributions',
  'shrinks amounts',
  'enlarges amounts',
  'changes senders',
]
const OMISSIONS: readonly string[] = ['omitting', 'partial', 'gappy']

/**
 * Adds strikes of rows that a deep reorganization removed, of rows that a trusted node invented, and, by mistake, of
 * rows that the chain has.
 */
export function withStrikes(random: Random, plan: Plan): Plan {
  const struck = random.fraction() < SHARES.strike ? withStrike(random, plan) : plan
  return random.fraction() < SHARES.trustLiar ? withLiar(random, struck) : struck
}

/**
 * Has an operator order the strike of every row of a chain 9 to 18 s after a payment and, from 2 to 8 s later, of the
 * rows that the chain no longer has. In two thirds of these histories, a deep reorganization removes rows in between.
 */
function withStrike(random: Random, plan: Plan): Plan {
  const payments = plan.charges.flatMap((charge) => charge.payments)
  if (payments.length === 0) return plan
  // The payment's rows count by the time of the order, so they can be struck.
  const { chainId, atMs: paidMs } = random.pick(payments)
  const time = {
    atMs: Math.min(paidMs + 9_000 + random.integer(9_000), plan.troubledMs - 2_000),
    forMs: 2_000 + random.integer(6_000),
  }
  const reorganization: PlannedTrouble = {
    ...{ kind: 'reorganization', chainId, atMs: time.atMs + random.integer(time.forMs), forMs: 1_000 },
    ...{ depth: CONFIRMATIONS + 3 + random.integer(MAX_DEEPER_BLOCKS), lost: random.pick([0.3, 1]) },
  }
  const isDeep = random.fraction() < 2 / 3
  const troubles = withoutFalseDenials(plan, chainId)
  return {
    ...plan,
    troubles: isDeep ? [...troubles, reorganization] : troubles,
    commands: [...plan.commands, { ...time, kind: 'strike rows', chainId }],
  }
}

/**
 * Removes the omissions on a chain with a lying node. Together, the lying and the omitting node would deny a real row,
 * and no caller could detect the error.
 */
function withoutFalseDenials({ troubles, losses }: Plan, chainId: number): readonly PlannedTrouble[] {
  const isLying =
    troubles.some((trouble) => trouble.kind === 'lie' && trouble.chainId === chainId) ||
    losses.some((loss) => loss.kind === 'node' && loss.chainId === chainId && loss.lies !== null)
  return troubles.filter(
    (trouble) =>
      !isLying || trouble.kind !== 'node' || trouble.chainId !== chainId || !OMISSIONS.includes(trouble.mode),
  )
}

/**
 * Has an operator trust a node that lies about rows, while the other nodes of its chain are silent. Afterwards, the
 * node is honest, and the operator strikes its false rows. The nodes of the chain have no other faults. Skips histories
 * with escrows or signatures, whose ends no strike can undo, and chains that lose a node permanently, because every
 * node must deny a struck row.
 */
function withLiar(random: Random, plan: Plan): Plan {
  if (plan.escrows.size > 0 || plan.signatures.size > 0) return plan
  const whole = plan.deployments.filter(
    ({ chainId }) => !plan.losses.some((loss) => loss.kind === 'node' && loss.chainId === chainId),
  )
  if (whole.length === 0) return plan
  const { chainId, nodes } = random.pick(whole)
  // Ponder reads the first node, so the feed contains the false rows if this node lies.
  const nodeIndex = random.fraction() < 0.7 ? 0 : random.integer(nodes.length)
  const forMs = TRUSTED_MS.least + random.integer(TRUSTED_MS.most - TRUSTED_MS.least)
  const payments = plan.charges.flatMap((charge) => charge.payments)
  const paidMs = payments.filter((payment) => payment.chainId === chainId).map(({ atMs }) => atMs)
  const beginMs = random.pick([random.pick(plan.charges).atMs, ...paidMs]) - random.integer(4_000)
  const time = { atMs: Math.max(1_000, Math.min(beginMs, plan.troubledMs - forMs - 2_000)), forMs }
  const lies = [...new Set(Array.from({ length: random.pick([1, 1, 2]) }, () => random.pick(LIES_IN_ROWS)))]
  const others = nodes.map((_, index) => index).filter((index) => index !== nodeIndex)
  const silent = others.map(
    (index): PlannedTrouble => ({ ...time, chainId, kind: 'node', mode: 'silent', nodeIndex: index }),
  )
  const liar: PlannedTrouble = { ...time, chainId, kind: 'lie', nodeIndex, lies, since: random.integer(6) }
  const isOfNode = (one: PlannedTrouble) =>
    one.chainId === chainId && (one.kind === 'node' || one.kind === 'lie')
  const isOfChain = (one: PlannedCommand) => one.kind === 'trust node' && one.chainId === chainId
  return {
    ...plan,
    troubles: [...plan.troubles.filter((one) => !isOfNode(one)), ...silent, liar],
    commands: [
      ...plan.commands.filter((one) => !isOfChain(one)),
      { ...time, kind: 'trust liar', chainId, nodeIndex },
    ],
  }
}
