import type { ChainFamilyName } from '../../../shared/domain/address.ts'
import { examineCost } from './examine-cost.ts'
import { examineEvmNode } from './examine-evm-node.ts'
import { examineTronCost } from './tron/examine-tron-cost.ts'
import { examineTronNode } from './tron/examine-tron-node.ts'

type Examination = {
  /** Lists the problems of a node that serves the chain. `head` is the head that this node reports. */
  readonly node: typeof examineEvmNode
  readonly cost: typeof examineCost
}

/** The doctor's checks that differ between chain families. */
export const EXAMINATIONS_BY_FAMILY: Readonly<Record<ChainFamilyName, Examination>> = {
  evm: { node: examineEvmNode, cost: examineCost },
  tron: { node: examineTronNode, cost: examineTronCost },
}
