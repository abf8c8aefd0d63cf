import { createNodePacer, type MeasuredPacer, type NodeBudget, type Timers } from './node-pacer.ts'
import { type PacerOf, UNPACED } from './pacing.ts'

/** A configured node and its limits; `null` means unlimited. */
export type BudgetedNode = {
  readonly name: string
  readonly url: string
  readonly requestsPerSecond: number | null
  readonly requestsPerDay: number | null
}

export type PacedNode = {
  readonly chainId: number
  readonly name: string
  readonly budget: NodeBudget
  readonly pacer: MeasuredPacer
}

export type NodePacers = {
  readonly pacerOf: PacerOf
  readonly nodes: readonly PacedNode[]
  readonly isLimited: (url: string) => boolean
}

type Deployment = { readonly chainId: number; readonly nodes: readonly BudgetedNode[] }

/**
 * Creates the pacers of a process, one per configured URL, so that all clients of a URL share its budget.
 *
 * @param share - the fraction of each limit that this process may use, because other processes query the same nodes
 */
export function createNodePacers(
  deployments: readonly Deployment[],
  { share, timers }: { readonly share: number; readonly timers?: Timers },
): NodePacers {
  const paced = new Map<string, PacedNode>()
  const configured = deployments.flatMap(({ chainId, nodes }) => nodes.map((node) => ({ ...node, chainId })))
  for (const { chainId, name, url, ...limits } of configured) {
    if (paced.has(url)) continue
    const budget = takeShare(limits, share)
    paced.set(url, { chainId, name, budget, pacer: createNodePacer(budget, timers) })
  }
  return {
    pacerOf: (url) => paced.get(url)?.pacer ?? UNPACED.pacer,
    nodes: [...paced.values()],
    isLimited: (url) => {
      const { perSecond = null, perDay = null } = paced.get(url)?.budget ?? {}
      return perSecond !== null || perDay !== null
    },
  }
}

function takeShare(
  { requestsPerSecond, requestsPerDay }: Pick<BudgetedNode, 'requestsPerSecond' | 'requestsPerDay'>,
  share: number,
): NodeBudget {
  return {
    perSecond: requestsPerSecond === null ? null : requestsPerSecond * share,
    perDay: requestsPerDay === null ? null : requestsPerDay * share,
  }
}
