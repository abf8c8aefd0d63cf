import type { AddressFamily } from '../../shared/domain/address.ts'
import { mendTronBlock, mendTronFailure } from './tron/mend-tron.ts'

/** What is done to a family's answers before Ponder, which knows Ethereum's nodes, sees them. */
type Mends = {
  /** How many blocks one query of logs may span. */
  readonly maxBlocksInQuery: number
  readonly mendBlock: <Block extends object>(block: Block) => Block
  /** What to throw when the logs of one block are refused. */
  readonly mendFailure: (failure: unknown) => unknown
}

/**
 * Ponder asks for ever wider ranges while they are answered, and Arc's public node never answers a wider one: not even
 * with an error, by which Ponder would ask for less (circlefin/arc-node, issue 83). Others end there, too.
 */
const EVM_BLOCKS = 10_000

/** A range of more is refused. Source: tronprotocol/documentation-en@8f3209ef, docs/api/json-rpc/index.md. */
const TRON_BLOCKS = 5_000

/** How the nodes of each family are made to look like those that Ponder knows. */
export const MENDS: Readonly<Record<AddressFamily, Mends>> = {
  evm: { maxBlocksInQuery: EVM_BLOCKS, mendBlock: (block) => block, mendFailure: (failure) => failure },
  tron: { maxBlocksInQuery: TRON_BLOCKS, mendBlock: mendTronBlock, mendFailure: mendTronFailure },
}
