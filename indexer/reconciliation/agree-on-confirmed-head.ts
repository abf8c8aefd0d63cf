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
 * Records the block that decides whether deadlines have passed: a block at confirmation depth, as a quorum shows it.
 * Queries no node while neither a passed deadline nor a due reading of balances needs such a block.
 *
 * The block is neither above the feed's confirmed head, because rows above that head are unknown, nor above the
 * quorum's confirmed head, because the feed's head alone is not trusted. A block that no quorum shows is not recorded:
 * the older block stays, and later deadlines wait.
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

/** Records the agreed head. No other function writes it, and this one accepts only a block that a quorum agreed on. */
function recordDeep(
  sql: Sql,
  { chainId, agreed }: { readonly chainId: number; readonly agreed: Agreed<BlockRef> },
): Promise<void> {
  return recordAgreedHead(sql, { chainId, block: agreed.value })
}
