import { abandonNetwork, resumeNetwork } from '../../shared/db/chain-facts/daemon/abandoned-networks.ts'
import {
  insertExpiryOverride,
  listExpiryBlockedCharges,
} from '../../shared/db/charges/daemon/expiry-overrides.ts'
import type { Sql } from '../../shared/db/connect.ts'
import { pausePair, resumePair } from '../../shared/db/organizations/daemon/pairs.ts'
import type { ChargeRecord } from '../../shared/domain/charge.ts'
import type { Scheduler, SimulatedProcess } from './engine/scheduler.ts'
import type { PlannedOrder } from './plan-faults.ts'
import type { Scene } from './scene.ts'

type Terms = {
  readonly scheduler: Scheduler
  readonly process: SimulatedProcess
  /** Connections with the role of the operators' commands. */
  readonly sql: Sql
  readonly scenes: ReadonlyMap<number, Scene>
}

export type Operators = ReturnType<typeof createOperators>

/** Creates the operators, who give orders with the statements of `npm run pairs`, `networks` and `charges`. */
export function createOperators({ scheduler, process, sql, scenes }: Terms) {
  const abandoned = new Set<number>()
  const ended = new Set<string>()
  const mistrusted = new Set<number>()
  const repaired = new Set<number>()

  return {
    plan,
    endHeld,
    mistrust: (chainId: number) => void mistrusted.add(chainId),
    /** Whether an operator ever trusted a lying node of a chain. The node's rows may count until they are struck. */
    isMistrusted: (chainId: number) => mistrusted.has(chainId),
    /** Records that operators strike the denied rows of a chain from now on. */
    repair: (chainId: number) => void repaired.add(chainId),
    isRepaired: (chainId: number) => repaired.has(chainId),
    /**
     * Whether a paid charge may end as unpaid, because an operator ordered its end or abandoned a network of its
     * environment.
     */
    mayEndUnpaid: ({ id, environment }: ChargeRecord) =>
      ended.has(id) ||
      [...scenes.values()].some(
        ({ deployment }) => deployment.environment === environment && abandoned.has(deployment.chainId),
      ),
  }

  /**
   * Schedules an order. It is a named fault of the scheduler, so it can be left out without a change to the rest of the
   * plan.
   */
  function plan(order: PlannedOrder, index: number): void {
    const scene = scenes.get(order.chainId)
    if (scene === undefined) return
    const later = (delayMs: number, label: string, run: () => void) =>
      void scheduler.later({ delayMs, process, label, run })
    const name = `${order.kind} of ${order.chainId}`
    later(order.atMs, name, () => {
      if (!scheduler.meets('order', `${index} ${name}`, 1)) return
      void begin(order, scene)
      later(order.forMs, `end of ${name}`, () => void end(order, scene))
    })
  }

  async function begin({ kind, chainId, tokenIndex }: PlannedOrder, { deployment }: Scene): Promise<void> {
    if (kind === 'pause pair') await pausePair(sql, pairOf(deployment, tokenIndex))
    if (kind === 'abandon network') {
      abandoned.add(chainId)
      await abandonNetwork(sql, deployment)
    }
    if (kind === 'end held charges') await endHeld()
  }

  async function end({ kind, tokenIndex }: PlannedOrder, { deployment }: Scene): Promise<void> {
    if (kind === 'pause pair') await resumePair(sql, pairOf(deployment, tokenIndex))
    if (kind === 'abandon network') await resumeNetwork(sql, deployment)
    if (kind === 'end held charges') await endHeld()
  }

  /**
   * Orders the end of all charges whose expiry is blocked, even of paid charges, like an operator whose explorer lags.
   */
  async function endHeld({ isDespiteUnconfirmed = false } = {}): Promise<void> {
    for (const { id } of await listExpiryBlockedCharges(sql)) {
      ended.add(id)
      await insertExpiryOverride(sql, {
        chargeId: id,
        because: 'an explorer shows nothing',
        isDespiteUnconfirmed,
      })
    }
  }
}

function pairOf({ environment, network, tokens }: Scene['deployment'], tokenIndex: number) {
  const { token = 'USDC' } = tokens[tokenIndex] ?? {}
  return { environment, network, token } as const
}
