import type { ChainClient } from '../../../shared/chain/nodes/client.ts'
import type { ChainFamilyName } from '../../../shared/domain/address.ts'
import type { IndexerDeployment } from '../../../shared/runtime/indexer-config.ts'
import type { DeploymentConfig } from '../../../shared/runtime/networks-config.ts'
import { examineCost, type PayerAccounts } from './examine-cost.ts'
import { examineEvmNode } from './examine-evm-node.ts'
import type { Finding, Problem } from './finding.ts'
import { examineTronCost } from './tron/examine-tron-cost.ts'
import { examineTronNode } from './tron/examine-tron-node.ts'

/** The checks that differ between chain families. */
type Examination = {
  /** Lists the problems of a node that serves the chain; `head` is the node's own. */
  readonly node: (
    client: ChainClient,
    deployment: DeploymentConfig,
    head: number,
  ) => Promise<readonly (Problem | null)[]>
  readonly cost: (
    client: ChainClient,
    deployment: IndexerDeployment,
    payers: PayerAccounts,
  ) => Promise<readonly Finding[]>
}

/** The doctor's checks per chain family. */
export const EXAMINATIONS_BY_FAMILY: Readonly<Record<ChainFamilyName, Examination>> = {
  evm: { node: examineEvmNode, cost: examineCost },
  tron: { node: examineTronNode, cost: examineTronCost },
}
