import type { Random } from '../support/seeded-random.ts'
import type { Scheduler } from './engine/scheduler.ts'
import { blockAt } from './model/chain.ts'
import type { Scene } from './scene.ts'

/** Of a node that lags: more than a payment needs to count, so that what it has is never news. */
const BLOCKS_BEHIND = 5

type Following = Pick<Scene, 'chain' | 'nodes'> & { readonly random: Random }

/** Has the nodes of a chain come to its last block, each in its own time. */
export function follow(scheduler: Scheduler, { chain, nodes, random }: Following): void {
  for (const node of nodes) {
    const head = chain.tip()
    const run = () => {
      if (node.mode === 'stuck') return
      node.head = node.mode === 'behind' ? (blockAt(head, head.number - BLOCKS_BEHIND) ?? node.head) : head
    }
    const delayMs = random.fraction() < 0.1 ? random.integer(4_000) : random.integer(300)
    scheduler.later({ delayMs, process: null, label: `${new URL(node.url).host} at ${head.number}`, run })
  }
}
