import type { ChainFamilyName } from '../../shared/domain/address.ts'
import { normalizeTronBlock, normalizeTronError } from './tron/normalize-tron.ts'

/** How the requests and responses of a chain family are adapted to Ponder, which expects Ethereum nodes. */
type Normalizer = {
  /** Maximum blocks per log query. */
  readonly maxBlocksInQuery: number
  readonly mendBlock: <Block extends object>(block: Block) => Block
  /** Converts the error of a node that rejected a query for the logs of one block. */
  readonly mendFailure: (failure: unknown) => unknown
}

/**
 * Maximum number of blocks per log query on EVM chains. Ponder widens its ranges as long as queries succeed. Arc's
 * public node does not respond to a wider range at all (circlefin/arc-node, issue 83); after an error, Ponder would
 * narrow the range.
 */
const EVM_BLOCKS = 10_000

/**
 * Maximum number of blocks per log query on TRON. By default, nodes reject wider ranges. Source:
 * tronprotocol/documentation-en@8f3209ef, docs/api/json-rpc/index.md.
 */
const TRON_BLOCKS = 5_000

export const NORMALIZERS_BY_FAMILY: Readonly<Record<ChainFamilyName, Normalizer>> = {
  evm: { maxBlocksInQuery: EVM_BLOCKS, mendBlock: (block) => block, mendFailure: (failure) => failure },
  tron: { maxBlocksInQuery: TRON_BLOCKS, mendBlock: normalizeTronBlock, mendFailure: normalizeTronError },
}
