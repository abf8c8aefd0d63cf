import type { ChainFamilyName } from '../../shared/domain/address.ts'
import { normalizeTronBlock, normalizeTronError } from './tron/normalize-tron.ts'

/** Normalization of a chain family's responses for Ponder, which expects Ethereum nodes. */
type Mends = {
  /** Maximum blocks per log query. */
  readonly maxBlocksInQuery: number
  readonly mendBlock: <Block extends object>(block: Block) => Block
  /** Converts the error of a node that rejected a query for the logs of one block. */
  readonly mendFailure: (failure: unknown) => unknown
}

/**
 * Maximum blocks per log query on Ethereum's nodes. Ponder widens its ranges as long as queries succeed. Arc's public
 * node never responds to a wider range, not even with an error, after which Ponder would narrow the range
 * (circlefin/arc-node, issue 83). Other nodes have the same limit.
 */
const EVM_BLOCKS = 10_000

/**
 * Maximum blocks per log query on TRON. Nodes reject wider ranges. Source: tronprotocol/documentation-en@8f3209ef,
 * docs/api/json-rpc/index.md.
 */
const TRON_BLOCKS = 5_000

export const NORMALIZERS_BY_FAMILY: Readonly<Record<ChainFamilyName, Mends>> = {
  evm: { maxBlocksInQuery: EVM_BLOCKS, mendBlock: (block) => block, mendFailure: (failure) => failure },
  tron: { maxBlocksInQuery: TRON_BLOCKS, mendBlock: normalizeTronBlock, mendFailure: normalizeTronError },
}
