import type { ChainNode, ChainNodes } from '../../shared/chain/nodes/chain-nodes.ts'
import { queryConfirmedHead } from '../../shared/chain/nodes/query-confirmed-head.ts'
import { queryNodes } from '../../shared/chain/nodes/query-nodes.ts'
import { createQuorumRule, findVerdict } from '../../shared/chain/nodes/quorum.ts'
import type { BalanceKey, ObservedBalance } from '../reconciliation/compare-balances.ts'
import { createArchiveBalanceReader } from '../reconciliation/node-balances.ts'

/** Balances on which a quorum of nodes agrees, all read at one block at confirmation depth. */
export type AgreedBalances = {
  readonly block: number
  /** Omits balances on which no quorum agrees. */
  readonly found: readonly ObservedBalance[]
}

/**
 * Reads balances from every node at the highest block at confirmation depth. Returns `null` if no quorum agrees on any
 * balance, or the chain is shorter than its confirmation depth.
 *
 * @throws {AppError} `rpc_unavailable` if no quorum shows the same block
 */
export type ReadAgreedBalances = (balances: readonly BalanceKey[]) => Promise<AgreedBalances | null>

type Deps = {
  readonly chain: ChainNodes
  readonly confirmations: number
  readonly blockTimeMs: number
}

export function createAgreedBalances(deps: Deps): ReadAgreedBalances {
  const { chain } = deps
  return async (balances) => {
    const { block } = await queryConfirmedHead(chain, deps)
    if (block === null) return null
    const wanted = { balances, block: block.value, isStanding: false }
    const { reports } = await queryNodes(chain, (node: ChainNode) => createArchiveBalanceReader(node)(wanted))
    const rule = createQuorumRule(chain.quorum, chain.getTrusted())
    const found = balances.flatMap((balance) => {
      const amounts = reports.flatMap(({ value, ...report }) =>
        value.found
          .filter((one) => isSameBalance(one, balance))
          .map((one) => ({ ...report, value: one.foundAtomic })),
      )
      const verdict = findVerdict({ reports: amounts, silent: [] }, rule, String)
      return verdict.outcome === 'agreed' ? [{ ...balance, foundAtomic: verdict.agreed.value }] : []
    })
    return found.length === 0 ? null : { block: block.value.number, found }
  }
}

export function isSameBalance(one: BalanceKey, other: BalanceKey): boolean {
  return one.account === other.account && one.tokenAddress === other.tokenAddress
}
