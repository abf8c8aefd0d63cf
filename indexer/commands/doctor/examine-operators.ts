import { configureNodes, listOperators, type NodeConfig } from '../../../shared/domain/node-config.ts'
import type { DeploymentConfig } from '../../../shared/runtime/networks-config.ts'
import { createPassedFinding, type Finding } from './finding.ts'

type Deployment = Pick<DeploymentConfig, 'nodes' | 'quorum'>

/** If one of three operators lies or fails, the other two still agree. */
const WANTED_OPERATORS = 3

/**
 * Checks whether the operators of a deployment's nodes can reach its quorum, and whether they are really distinct.
 */
export function examineOperators(deployment: Deployment): readonly Finding[] {
  const { nodes } = deployment
  return [
    countOperators(deployment),
    ...listOperators(nodes).flatMap((operator) => findSharedOperator(nodes, operator)),
    ...findSplitDomains(nodes),
  ]
}

function countOperators({ nodes, quorum }: Deployment): Finding {
  const operators = listOperators(nodes)
  const found = `${operators.length}, of which ${quorum} must agree: ${operators.join(', ')}`
  const subject = 'operators'
  if (operators.length < quorum)
    return {
      ...{ subject, found },
      mend: `name nodes of ${quorum - operators.length} more in rpcUrls, or lower quorum: until then no pair is offered`,
    }
  if (operators.length >= WANTED_OPERATORS) return createPassedFinding(subject, found)
  return {
    ...{ subject, found, isWarning: true },
    mend: `name nodes of ${WANTED_OPERATORS} in rpcUrls: payments then go on while any one of them lies or fails`,
  }
}

function findSharedOperator(nodes: readonly NodeConfig[], operator: string): readonly Finding[] {
  const names = nodes.filter((node) => node.operator === operator).map(({ name }) => name)
  if (names.length === 1) return []
  return [
    {
      ...{ subject: `operator ${operator}`, isWarning: true },
      found: `runs ${names.length} nodes, which have one vote: ${names.join(', ')}`,
      mend: 'name a node of another operator in rpcUrls',
    },
  ]
}

/** Finds domains whose nodes are configured under several operators. */
function findSplitDomains(nodes: readonly NodeConfig[]): readonly Finding[] {
  const domains = configureNodes(nodes.map(({ url }) => url))
  return listOperators(domains).flatMap((domain) => {
    const same = nodes.filter((_, index) => domains[index]?.operator === domain)
    const operators = listOperators(same)
    if (operators.length === 1) return []
    return [
      {
        ...{ subject: `domain ${domain}`, isWarning: true as const },
        found: `its ${same.length} nodes have ${operators.length} votes, of ${operators.join(', ')}`,
        mend: 'make sure that different people run them, or give them one operator in rpcUrls',
      },
    ]
  })
}
