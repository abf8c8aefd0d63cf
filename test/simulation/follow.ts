import type { Random } from '../support/seeded-random.ts'
import type { Scheduler } from './engine/scheduler.ts'
import { blockAt } from './model/chain.ts'
import type { Scene } from './scene.ts'

/**
 * Blocks by which a node in mode `behind` lags: more than the confirmation depth, so that it shows a block only after
 * the block is confirmed.
 */
const BLOCKS_BEHIND = 5

type Following = Pick<Scene, 'chain' | 'nodes'> & { readonly random: Random }

/** Plans when each node of a chain receives the chain's last block. */
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
