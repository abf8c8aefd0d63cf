import type { ChainPlan } from '../devnet/networks.ts'
import { type DishonestNode, startDishonestNode } from './dishonest-node/dishonest-node.ts'

/** The nodes of one chain, each with its own operator. */
export type FaultyNodes = {
  /** The chain's plan, with these nodes and a quorum of two. */
  readonly plan: ChainPlan
  /** In the order of the configuration. Empty until the chain runs. */
  readonly nodes: readonly DishonestNode[]
  readonly stop: () => Promise<void>
}

/** Plans a chain with nodes that can lie, freeze and fail. Two ports of one host count as two operators. */
export function planFaultyNodes(plan: ChainPlan, count: number): FaultyNodes {
  const nodes: DishonestNode[] = []
  const start = async (rpcUrl: string) => {
    for (let index = 0; index < count; index += 1) nodes.push(await startDishonestNode(rpcUrl))
    return { rpcUrls: nodes.map(({ url }) => url), quorum: 2 }
  }
  return {
    ...{ plan: { ...plan, nodes: start }, nodes },
    stop: async () => {
      await Promise.all(nodes.map((node) => node.stop()))
    },
  }
}
