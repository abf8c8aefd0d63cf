import type { Scheduler } from './engine/scheduler.ts'
import type { History } from './history.ts'
import { createLie } from './model/lie.ts'
import type { PlannedLoss } from './plan-types.ts'
import type { createCast } from './processes.ts'
import type { Scene } from './scene.ts'

type Terms = {
  readonly scheduler: Scheduler
  readonly history: Pick<History, 'scenes' | 'listTargets'>
  readonly cast: Pick<ReturnType<typeof createCast>, 'loseDaemon'>
}

/**
 * Returns the planned losses that happen. Each loss is a named fault of the scheduler, so it can be suppressed. The
 * losses must be chosen before the faults end, because no named fault happens after that.
 */
export function chooseLosses(scheduler: Scheduler, losses: readonly PlannedLoss[]): readonly PlannedLoss[] {
  return losses.filter((loss) => scheduler.meets('for good', nameLoss(loss), 1))
}

/** Starts the losses, which never end. Must be called after all other faults have ended. */
export function beginLosses(terms: Terms, losses: readonly PlannedLoss[]): void {
  for (const loss of losses) {
    const run = () => lose(terms, loss)
    terms.scheduler.later({ delayMs: 0, process: null, label: nameLoss(loss), run })
  }
}

async function lose({ history, cast }: Terms, loss: PlannedLoss): Promise<void> {
  if (loss.kind === 'daemon') return cast.loseDaemon(loss.daemonIndex)
  const scene = history.scenes.get(loss.chainId)
  if (scene !== undefined) loseNode(scene, { loss, listTargets: history.listTargets })
}

export function nameLoss(loss: PlannedLoss): string {
  if (loss.kind === 'daemon') return `daemon-${loss.daemonIndex} is dead`
  const { chainId, nodeIndex, lies } = loss
  return `node-${nodeIndex} of ${chainId} ${lies === null ? 'is silent' : lies.join(', ')}`
}

type NodeLoss = {
  readonly loss: Extract<PlannedLoss, { readonly kind: 'node' }>
  readonly listTargets: History['listTargets']
}

function loseNode({ nodes, ponder }: Scene, { loss, listTargets }: NodeLoss): void {
  const node = nodes[loss.nodeIndex]
  if (node === undefined) return
  if (loss.lies === null) {
    node.mode = 'silent'
    ponder.passOver(node)
    return
  }
  const { head, tokens } = node
  node.lie = createLie({ kinds: loss.lies, fromNumber: head.number, listTargets, tokens })
}
