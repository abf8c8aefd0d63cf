import type { IndexerDeployment } from '../../../shared/runtime/indexer-config.ts'
import { compareNodes } from './compare-nodes.ts'
import { examineBudget } from './examine-budget.ts'
import { type DoctorInput, examineChain } from './examine-chain.ts'
import { examineNode } from './examine-node.ts'
import { examineOperators } from './examine-operators.ts'
import { type Finding, isProblem } from './finding.ts'

/**
 * Checks a deployment: its operators, the limits of its nodes, and each node. Also checks the chain if at least one
 * node has no problem.
 */
export async function examineDeployment(
  deployment: IndexerDeployment,
  { nowMs, ...input }: DoctorInput & { readonly nowMs: number },
): Promise<readonly Finding[]> {
  const examined = await Promise.all(
    deployment.nodes.map(async (node) => ({
      node,
      findings: await examineNode(deployment, { ...node, nowMs }),
    })),
  )
  const usable = examined.flatMap(({ node, findings }) => (findings.some(isProblem) ? [] : [node]))
  const found = [
    ...examineOperators(deployment),
    examineBudget(deployment, input.budgetShare),
    ...examined.flatMap(({ findings }) => findings),
    ...(usable.length > 1 ? await compareNodes(deployment, usable) : []),
  ]
  if (usable.length === 0) return found
  const rpcUrls = usable.map(({ url }) => url)
  return [...found, ...(await examineChain(deployment, { rpcUrls, ...input }))]
}
