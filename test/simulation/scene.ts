import type { IndexerDeployment } from '../../shared/runtime/indexer-config.ts'
import type { ModelChain } from './model/chain.ts'
import type { ModelNode } from './model/model-node.ts'
import type { ModelPonder } from './model/ponder.ts'

/** One simulated chain, with its nodes and its Ponder. */
export type Scene = {
  readonly deployment: IndexerDeployment
  readonly chain: ModelChain
  readonly nodes: readonly ModelNode[]
  readonly ponder: ModelPonder
}
