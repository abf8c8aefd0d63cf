import type { Address } from '../../shared/domain/address.ts'
import { createRandomStream } from './engine/chance.ts'
import type { Scheduler } from './engine/scheduler.ts'
import { follow } from './follow.ts'
import { createLie } from './model/lie.ts'
import type { Target } from './model/lie-kinds.ts'
import type { Receivers } from './model/receivers.ts'
import type { State } from './model/state.ts'
import { act } from './payments.ts'
import type { PlannedTrouble, Whom } from './plan-faults.ts'
import type { Scene } from './scene.ts'
import { ORGANIZATIONS, PARTNER, RELAYER, TREASURY } from './world.ts'

/** The feed's transport passes over a node that does not respond. */
const PASS_OVER = { delayMs: 3_000, process: null, label: 'ponder passes over a node' } as const

/** The parts of the world that disturbances affect. */
export type Parts = {
  readonly scheduler: Scheduler
  readonly scenes: ReadonlyMap<number, Scene>
  readonly receivers: Receivers
  /** The charges created so far. */
  readonly targets: readonly Target[]
  readonly beforeBlock: () => Promise<void>
}

/**
 * Schedules one planned disturbance as a named fault of the scheduler, so that a run can omit the disturbance without
 * changing the rest of the plan.
 */
export function planTrouble(
  { scheduler, scenes, receivers, targets, beforeBlock }: Parts,
  trouble: PlannedTrouble,
  index: number,
): void {
  const scene = scenes.get(trouble.chainId)
  if (scene === undefined) return
  const { chain, nodes, ponder } = scene
  const random = createRandomStream(scheduler.seed, `trouble ${index}`)
  const name = `${trouble.kind} of ${trouble.chainId}`
  const later = (delayMs: number, label: string, run: () => void | Promise<void>) =>
    void scheduler.later({ delayMs, process: null, label, run })
  const begin = (run: () => void | Promise<void>) =>
    later(trouble.atMs, name, () => (scheduler.meets('trouble', `${index} ${name}`, 1) ? run() : undefined))
  const end = (run: () => void) => later(trouble.atMs + trouble.forMs, `end of ${name}`, run)
  // Once the faults have ended, a node keeps the state that `heal` or a permanent loss has set.
  const endNode = (run: () => void) => end(() => (scheduler.isCalm() ? undefined : run()))
  switch (trouble.kind) {
    case 'reorganization':
      begin(async () => {
        await beforeBlock()
        // A transaction is lost if its payer spends the money elsewhere, or if nodes drop pending transactions.
        const lost = () => random.fraction() < trouble.lost
        chain.reorganize(scheduler.nowMs(), { depth: trouble.depth, lost })
        follow(scheduler, { chain, nodes, random })
      })
      break
    case 'node': {
      const node = nodes[trouble.nodeIndex]
      if (node === undefined) return
      begin(() => {
        node.mode = trouble.mode
        if (node.mode === 'silent' || node.mode === 'failing')
          scheduler.later({ ...PASS_OVER, run: () => ponder.passOver(node) })
      })
      endNode(() => {
        node.mode = 'well'
      })
      break
    }
    case 'lie': {
      const node = nodes[trouble.nodeIndex]
      if (node === undefined) return
      begin(() => {
        const fromNumber = Math.max(1, node.head.number - trouble.since)
        const told = { kinds: trouble.lies, fromNumber, listTargets: () => targets, tokens: node.tokens }
        node.lie = createLie(told)
      })
      endNode(() => {
        node.lie = null
      })
      break
    }
    case 'ponder restart':
      begin(() => ponder.restart())
      break
    case 'endpoint': {
      const url = ORGANIZATIONS[trouble.organizationIndex]?.url ?? ''
      begin(() => receivers.setMode(url, trouble.mode))
      end(() => receivers.setMode(url, 'well'))
      break
    }
    case 'freeze':
    case 'pause': {
      const tokens = scene.deployment.tokens.map(({ address }) => address)
      const restrict = (state: State, isOn: boolean) => {
        for (const token of tokens) {
          if (trouble.kind === 'pause') state.paused[isOn ? 'add' : 'delete'](token)
          else
            for (const account of accountsOf(trouble.whom, targets))
              state.frozen[isOn ? 'add' : 'delete'](`${token}/${account}`)
        }
        return []
      }
      begin(() => chain.send(act(`${index} on`, (state) => restrict(state, true))))
      end(() => chain.send(act(`${index} off`, (state) => restrict(state, false))))
    }
  }
}

function accountsOf(whom: Whom, targets: readonly Target[]): readonly Address[] {
  switch (whom) {
    case 'merchant':
      return ORGANIZATIONS.map(({ merchant }) => merchant)
    case 'partner':
      return [PARTNER]
    case 'treasury':
      return [TREASURY]
    case 'relayer':
      return [RELAYER]
    case 'split':
      return targets.flatMap(({ address, splitAddress }) => [address, splitAddress])
  }
}
