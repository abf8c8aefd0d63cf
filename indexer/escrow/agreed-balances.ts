import { findEvidencePlace } from '../../shared/db/chain-facts/daemon/balance-evidence.ts'
import type { BlockMark } from '../../shared/db/chain-facts/daemon/ponder-tables.ts'
import type { Sql } from '../../shared/db/connect.ts'
import type { BalanceOf, FoundBalance } from '../reconciliation/compare-balances.ts'
import { createPastReading } from '../reconciliation/node-balances.ts'
import type { ChainNode } from '../transport/node-heads.ts'

/** Balances that a quorum of nodes returned alike at one block at confirmation depth. */
export type AgreedBalances = {
  readonly block: number
  /** Without those that no quorum agrees on. */
  readonly found: readonly FoundBalance[]
}

/** Reads balances by a quorum at a common block at confirmation depth; `null` if no quorum returns any. */
export type ReadAgreedBalances = (balances: readonly BalanceOf[]) => Promise<AgreedBalances | null>

/** Nodes that must return the same balance; the only one where one is configured. */
const QUORUM = 2

/** Creates the reading of one chain's balances, at the feed's block at confirmation depth, from every node. */
export function createAgreedBalances({
  sql,
  chainId,
  nodes,
}: {
  readonly sql: Sql
  readonly chainId: number
  readonly nodes: readonly ChainNode[]
}): ReadAgreedBalances {
  const readings = nodes.map(createPastReading)
  return async (balances) => {
    const place = await findEvidencePlace(sql, { chainId, silentSeconds: 0 })
    const deep = place?.deep ?? null
    if (deep === null) return null
    const answers = await Promise.all(readings.map((read) => readFrom(read, { balances, block: deep })))
    const found = findAgreed(balances, answers)
    return found.length === 0 ? null : { block: deep.number, found }
  }
}

type Wanted = { readonly balances: readonly BalanceOf[]; readonly block: BlockMark }

/** A node that fails, or has another block there, returns nothing. */
async function readFrom(
  read: ReturnType<typeof createPastReading>,
  wanted: Wanted,
): Promise<readonly FoundBalance[]> {
  const reading = await read({ ...wanted, isStanding: false }).catch(() => null)
  return reading?.found ?? []
}

/** Returns what a quorum of the nodes has returned alike; pure. */
export function findAgreed(
  balances: readonly BalanceOf[],
  answers: readonly (readonly FoundBalance[])[],
): readonly FoundBalance[] {
  const quorum = Math.min(QUORUM, answers.length)
  return balances.flatMap((balance) => {
    const reports = answers.flatMap((found) => found.filter((one) => isOf(one, balance)))
    const votesFor = (amount: bigint) => reports.filter(({ foundAtomic }) => foundAtomic === amount).length
    return reports.filter(({ foundAtomic }) => votesFor(foundAtomic) >= quorum).slice(0, 1)
  })
}

function isOf(found: FoundBalance, { account, tokenAddress }: BalanceOf): boolean {
  return found.account === account && found.tokenAddress === tokenAddress
}
