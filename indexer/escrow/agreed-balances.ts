import type { ChainNode, ChainNodes } from '../../shared/chain/nodes/chain-nodes.ts'
import { queryDeepBlock } from '../../shared/chain/nodes/query-deep-block.ts'
import { queryNodes } from '../../shared/chain/nodes/query-nodes.ts'
import { findVerdict, quorumOf } from '../../shared/chain/nodes/quorum.ts'
import type { BalanceOf, FoundBalance } from '../reconciliation/compare-balances.ts'
import { createPastReading } from '../reconciliation/node-balances.ts'

/** Balances that a quorum of nodes returned alike at one block at confirmation depth. */
export type AgreedBalances = {
  readonly block: number
  /** Excludes balances that no quorum agrees on. */
  readonly found: readonly FoundBalance[]
}

/** Reads balances by quorum at a common block at confirmation depth. Returns `null` if no quorum agrees on any balance. */
export type ReadAgreedBalances = (balances: readonly BalanceOf[]) => Promise<AgreedBalances | null>

type Deps = {
  readonly chain: ChainNodes
  readonly confirmations: number
  readonly blockTimeMs: number
}

/** Creates the function that reads one chain's balances from every node, at the block at depth that a quorum shows. */
export function createAgreedBalances(deps: Deps): ReadAgreedBalances {
  const { chain } = deps
  return async (balances) => {
    const { block } = await queryDeepBlock(chain, deps)
    if (block === null) return null
    const wanted = { balances, block: block.value, isStanding: false }
    const { reports } = await queryNodes(chain, (node: ChainNode) => createPastReading(node)(wanted))
    const rule = quorumOf(chain.quorum, chain.getTrusted())
    const found = balances.flatMap((balance) => {
      const amounts = reports.flatMap(({ value, ...report }) =>
        value.found.filter((one) => isOf(one, balance)).map((one) => ({ ...report, value: one.foundAtomic })),
      )
      const verdict = findVerdict({ reports: amounts, silent: [] }, rule, String)
      return verdict.outcome === 'agreed' ? [{ ...balance, foundAtomic: verdict.agreed.value }] : []
    })
    return found.length === 0 ? null : { block: block.value.number, found }
  }
}

function isOf(found: FoundBalance, { account, tokenAddress }: BalanceOf): boolean {
  return found.account === account && found.tokenAddress === tokenAddress
}
