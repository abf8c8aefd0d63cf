import type { ChainNodes } from '../../shared/chain/nodes/chain-nodes.ts'
import type { BlockRef } from '../../shared/chain/nodes/node-report.ts'
import { queryBlock } from '../../shared/chain/nodes/query-block.ts'
import { queryConfirmedHead } from '../../shared/chain/nodes/query-confirmed-head.ts'
import type { Agreed } from '../../shared/chain/nodes/quorum.ts'
import { findHeadToAgreeOn, recordAgreedHead } from '../../shared/db/chain-facts/daemon/agreed-heads.ts'
import type { Sql } from '../../shared/db/connect.ts'
import type { CheckedChain } from '../corroboration/checked-chain.ts'

type Deps = Pick<CheckedChain, 'chain' | 'deployment'> & { readonly sql: Sql }

/**
 * Records the block whose time decides which deadlines have passed: a block at confirmation depth, as a quorum shows
 * it. Queries no node unless a passed deadline or a due balance reading needs the block.
 *
 * The block is not above the feed's confirmed head, because later rows are not recorded yet, and not above the quorum's
 * confirmed head, because the feed alone is not trusted. If no quorum shows the block, the older block stays, and later
 * deadlines wait.
 *
 * @throws {AppError} `rpc_unavailable` if too few nodes responded, or no quorum shows the block at its confirmed head
 */
export async function agreeOnConfirmedHead(deps: Deps): Promise<void> {
  const { sql, chain } = deps
  const { chainId } = chain
  const feedNumber = await findHeadToAgreeOn(sql, chainId)
  if (feedNumber === null) return
  const { block: deep } = await queryConfirmedHead(chain, deps.deployment)
  if (deep === null) return
  const agreed = deep.value.number <= feedNumber ? deep : await findAgreedBlock(chain, feedNumber)
  if (agreed !== null) await recordDeep(sql, { chainId, agreed })
}

async function findAgreedBlock(chain: ChainNodes, number: number): Promise<Agreed<BlockRef> | null> {
  const verdict = await queryBlock(chain, number)
  return verdict.outcome === 'agreed' ? verdict.agreed : null
}

/** The only writer of the agreed head. Its type accepts only a block that a quorum agreed on. */
function recordDeep(
  sql: Sql,
  { chainId, agreed }: { readonly chainId: number; readonly agreed: Agreed<BlockRef> },
): Promise<void> {
  return recordAgreedHead(sql, { chainId, block: agreed.value })
}
