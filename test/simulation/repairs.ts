import { requestRepair } from '../../shared/db/chain-facts/daemon/feed-repairs.ts'
import type { Sql } from '../../shared/db/connect.ts'
import type { Scheduler, SimulatedProcess } from './engine/scheduler.ts'
import type { History } from './history.ts'
import { ABOVE_BLOCKS } from './model/other-chain.ts'
import { WRONG_BLOCKS } from './model/ponder.ts'
import type { Plan } from './plan-types.ts'
import type { PlannedRepair, RepairStart } from './planned-repair.ts'
import type { Scene } from './scene.ts'

type Terms = {
  readonly scheduler: Scheduler
  /** The process that runs the operators' commands. */
  readonly process: SimulatedProcess
  /** The database connections of `process`. */
  readonly sql: Sql
  readonly plan: Pick<Plan, 'repairs'>
  readonly history: Pick<History, 'scenes' | 'listTargets'>
}

/**
 * Schedules the failures of feeds and the orders that repair them. The scheduler draws or suppresses a failure and its
 * orders together, because a failure without an order would never end. A feed that begins on another chain fails when
 * it is created (`history.ts`), so only its orders are scheduled here.
 */
export function planRepairs(terms: Terms): void {
  const { scheduler, plan, history } = terms
  for (const [index, repair] of plan.repairs.entries()) {
    const { chainId, fault, atMs } = repair
    const scene = history.scenes.get(chainId)
    if (scene === undefined) continue
    const name = `${fault ?? 'nothing is wrong'} on ${chainId}`
    const run = async () => {
      const isFromStart = fault === 'begins on another chain'
      if (!isFromStart && !scheduler.meets('repair', `${index} ${name}`, 1)) return
      planOrders(terms, repair, scene)
      if (fault !== null && !isFromStart) await scene.ponder.fail(fault, history.listTargets)
    }
    scheduler.later({ delayMs: atMs, process: null, label: name, run })
  }
}

function planOrders({ scheduler, process, sql }: Terms, { atMs, orders }: PlannedRepair, scene: Scene): void {
  const { deployment, chain } = scene
  const faultNumber = chain.tip().number
  for (const order of orders) {
    const run = () => {
      const fromBlock = chooseBlock(order.from, { faultNumber, lastNumber: chain.tip().number })
      void requestRepair(sql, { ...deployment, fromBlock }).then((isKnown) => {
        if (!isKnown) throw new Error(`the network of ${deployment.chainId} is unknown`)
      })
    }
    const label = `orders a repair of ${deployment.chainId} from: ${order.from}`
    scheduler.later({ delayMs: order.atMs - atMs, process, label, run })
  }
}

type Heights = { readonly faultNumber: number; readonly lastNumber: number }

/** Returns the number of the block that an order names; `null` if the daemon must choose the block. */
function chooseBlock(from: RepairStart, { faultNumber, lastNumber }: Heights): number | null {
  switch (from) {
    case 'first block':
      return null
    case 'before the fault':
      return Math.max(0, faultNumber - 2 * WRONG_BLOCKS)
    case 'last block':
      return lastNumber
    case 'above the chain':
      return lastNumber + ABOVE_BLOCKS
  }
}
