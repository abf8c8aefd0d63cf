import { configureNodes, listOperators, type NodeConfig } from '../../../shared/domain/node-config.ts'
import type { DeploymentConfig } from '../../../shared/runtime/networks-config.ts'
import { createPassedFinding, type Finding } from './finding.ts'

type Deployment = Pick<DeploymentConfig, 'nodes' | 'quorum'>

/** Recommended number of operators: with a quorum of two, two of three still agree if one lies or fails. */
const WANTED_OPERATORS = 3

/** Checks whether the operators of a deployment's nodes can reach its quorum, and whether they seem to be distinct. */
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
  const found = `${operators.length} (${operators.join(', ')}); ${quorum} must agree`
  const subject = 'operators'
  if (operators.length < quorum)
    return {
      ...{ subject, found },
      remedy: `add nodes to rpcUrls so that they have ${quorum} operators, or lower the quorum: until then, no pair is available`,
    }
  if (operators.length >= WANTED_OPERATORS) return createPassedFinding(subject, found)
  return {
    ...{ subject, found, isWarning: true },
    remedy: `use nodes of ${WANTED_OPERATORS} operators in rpcUrls: payments then continue if one of them is wrong or fails`,
  }
}

function findSharedOperator(nodes: readonly NodeConfig[], operator: string): readonly Finding[] {
  const names = nodes.filter((node) => node.operator === operator).map(({ name }) => name)
  if (names.length === 1) return []
  return [
    {
      ...{ subject: `operator ${operator}`, isWarning: true },
      found: `runs ${names.length} nodes, which have one vote: ${names.join(', ')}`,
      remedy: 'add a node of another operator to rpcUrls',
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
        found: `the domain's ${same.length} nodes have ${operators.length} votes: ${operators.join(', ')}`,
        remedy: 'check that different people run them, or set the same operator for them in rpcUrls',
      },
    ]
  })
}
