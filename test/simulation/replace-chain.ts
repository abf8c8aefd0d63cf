import type { IndexerDeployment } from '../../shared/runtime/indexer-config.ts'
import type { Plan, PlannedCharge, PlannedCommand } from './plan-types.ts'
import { withNodes } from './world.ts'

/**
 * Replaces a chain in the whole plan with another chain of the same environment and the same number of nodes. Payments
 * in tokens that the new chain lacks use its other tokens.
 */
export function replaceChain(plan: Plan, replaced: IndexerDeployment, by: IndexerDeployment): Plan {
  const idOf = (chainId: number) => (chainId === replaced.chainId ? by.chainId : chainId)
  const move = <Item extends { readonly chainId: number }>(item: Item): Item => ({
    ...item,
    chainId: idOf(item.chainId),
  })
  const moveToken = <Item extends { readonly chainId: number; readonly tokenIndex: number }>(
    item: Item,
  ): Item =>
    item.chainId === replaced.chainId
      ? { ...move(item), tokenIndex: item.tokenIndex % by.tokens.length }
      : item
  const moveCharge = (charge: PlannedCharge): PlannedCharge => ({
    ...charge,
    payments: charge.payments.map(moveToken),
  })
  const moveCommand = (command: PlannedCommand): PlannedCommand => {
    if (command.kind === 'import charge') return { ...command, charge: moveCharge(command.charge) }
    return command.kind === 'end unconfirmed charges' ? command : move(command)
  }
  const { deployments, aheadMs, sleep, dust } = plan
  return {
    ...plan,
    deployments: deployments.map((one) =>
      one === replaced ? { ...withNodes(by, one.nodes.length), ...startOf(one) } : one,
    ),
    aheadMs: new Map([...aheadMs].map(([chainId, ms]) => [idOf(chainId), ms])),
    charges: plan.charges.map(moveCharge),
    troubles: plan.troubles.map(move),
    orders: plan.orders.map(moveToken),
    commands: plan.commands.map(moveCommand),
    repairs: plan.repairs.map(move),
    losses: plan.losses.map((loss) => (loss.kind === 'node' ? move(loss) : loss)),
    sleep: sleep === null ? null : { ...sleep, asleep: sleep.asleep.map(idOf) },
    dust: new Map([...dust].map(([index, some]) => [index, some.map(moveToken)])),
  }
}

/** Returns the configured first block, which a plan may have moved. */
function startOf({ startBlock }: IndexerDeployment): Pick<IndexerDeployment, 'startBlock'> {
  return startBlock === undefined ? {} : { startBlock }
}
