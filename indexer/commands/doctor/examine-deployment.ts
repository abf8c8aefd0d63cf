import type { IndexerDeployment } from '../../../shared/runtime/indexer-config.ts'
import { compareNodes } from './compare-nodes.ts'
import { type DeploymentFacts, examineChain } from './examine-chain.ts'
import { examineNode } from './examine-node.ts'
import type { Finding } from './finding.ts'

/**
 * Reads everything that a deployment needs, of each node and of the chain, and answers it with what to do.
 *
 * @param coinUsd - what the chain's coin costs, in dollars
 */
export async function examineDeployment(
  deployment: IndexerDeployment,
  {
    facts,
    nowMs,
    coinUsd,
  }: { readonly facts: DeploymentFacts; readonly nowMs: number; readonly coinUsd: number },
): Promise<readonly Finding[]> {
  const nodes = await Promise.all(
    deployment.rpcUrls.map(async (url) => ({ url, findings: await examineNode(deployment, { url, nowMs }) })),
  )
  const wellUrls = nodes.flatMap(({ url, findings }) =>
    findings.every(({ mend }) => mend === null) ? [url] : [],
  )
  const found = [
    ...nodes.flatMap(({ findings }) => findings),
    ...(wellUrls.length > 1 ? await compareNodes(deployment, wellUrls) : []),
  ]
  if (wellUrls.length === 0) return found
  return [...found, ...(await examineChain(deployment, { rpcUrls: wellUrls, facts, coinUsd }))]
}
