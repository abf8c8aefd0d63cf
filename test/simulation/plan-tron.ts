import type { Random } from '../support/seeded-random.ts'
import type { PlannedTrouble } from './plan-faults.ts'
import type { Plan, PlannedCharge, PlannedCommand, PlannedPayment } from './plan-types.ts'
import { replaceChain } from './replace-chain.ts'
import { CONFIRMATIONS, ORGANIZATIONS, TRON_DEPLOYMENTS } from './world.ts'

const PART = 1 / 8

/**
 * Replaces a chain with TRON in an eighth of all histories. A charge accepts either TRON or the other chains of its
 * environment. Charges on TRON have no escrow, and their payers do not sign. Solidified blocks are never reorganized.
 */
export function withTron(random: Random, plan: Plan): Plan {
  const replaceable = plan.deployments.filter(({ network }) => network !== 'arc')
  if (random.fraction() >= PART || replaceable.length === 0) return plan
  const replaced = random.pick(replaceable)
  const tron = TRON_DEPLOYMENTS.find(({ environment }) => environment === replaced.environment)
  if (tron === undefined) throw new Error(`there is no TRON for ${replaced.environment}`)
  const drawn = replaceChain(plan, replaced, tron)
  const places = drawn.deployments.filter(({ environment }) => environment === tron.environment)
  const charges = drawn.charges.map(drawCharge)
  const isOnTron = ([index]: readonly [number, unknown]) => charges[index]?.isOnTron === true
  const without = <Value>(map: ReadonlyMap<number, Value>) =>
    new Map([...map].filter((entry) => !isOnTron(entry)))
  return {
    ...drawn,
    ...{ charges, escrows: without(drawn.escrows), signatures: without(drawn.signatures) },
    troubles: drawn.troubles.map(limitDepth),
    commands: drawn.commands.map(
      (command): PlannedCommand =>
        command.kind === 'import charge' ? { ...command, charge: drawCharge(command.charge) } : command,
    ),
  }

  function drawCharge(charge: PlannedCharge): PlannedCharge {
    if (ORGANIZATIONS[charge.organizationIndex]?.environment !== tron?.environment) return charge
    const others = places.filter(({ family }) => family !== 'tron')
    const isTron = others.length === 0 || random.fraction() < 0.7
    const accepted = isTron ? places.filter(({ family }) => family === 'tron') : others
    return { ...charge, isOnTron: isTron, payments: charge.payments.map((one) => move(one, accepted)) }
  }

  /** Moves payments on unaccepted chains to accepted ones, except one of ten. */
  function move(payment: PlannedPayment, accepted: Plan['deployments']): PlannedPayment {
    const to = random.pick(accepted)
    const isAccepted = accepted.some(({ chainId }) => chainId === payment.chainId)
    if (isAccepted || random.fraction() < 0.1) return payment
    return { ...payment, chainId: to.chainId, tokenIndex: payment.tokenIndex % to.tokens.length }
  }

  function limitDepth(trouble: PlannedTrouble): PlannedTrouble {
    if (trouble.kind !== 'reorganization' || trouble.chainId !== tron?.chainId) return trouble
    return { ...trouble, depth: Math.min(trouble.depth, CONFIRMATIONS - 1) }
  }
}
