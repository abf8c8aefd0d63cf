import type { ChainPlan } from '../devnet/networks.ts'
import { type DishonestNode, startDishonestNode } from './dishonest-node/dishonest-node.ts'

/** Nodes of one chain, each of an operator of its own, in the order in which configuration names them. */
export type FaultyNodes = {
  /** The chain with these nodes and a quorum of two. */
  readonly plan: ChainPlan
  /** Empty until the chain runs. */
  readonly nodes: readonly DishonestNode[]
  readonly stop: () => Promise<void>
}

/** Puts nodes in front of a chain that can lie, freeze and die. Two ports of one address are two operators. */
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
