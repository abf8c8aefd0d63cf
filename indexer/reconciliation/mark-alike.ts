import type { PlacedReceipt } from '../../shared/chain/receipts.ts'
import { markDeep } from '../../shared/db/chain-facts/daemon/chain-rows.ts'
import { CHAIN_TABLES } from '../../shared/db/chain-facts/daemon/presence.ts'
import type { Sql } from '../../shared/db/connect.ts'
import { inTransaction } from '../../shared/db/transaction.ts'
import type { WatchedDeployment } from '../chain-feed/observe.ts'
import { findUnknown } from './find-unknown.ts'
import { observeReceipts } from './observe-receipts.ts'

type Deps = { readonly sql: Sql; readonly deployment: WatchedDeployment }

/**
 * Marks as deep the rows of which the ledger says exactly what these receipts show, and records nothing: the feed and
 * the other API then say the same. The caller vouches for the depth, and that no other node says otherwise.
 */
export async function markAlike(
  { sql, deployment }: Deps,
  receipts: readonly PlacedReceipt[],
): Promise<void> {
  if (receipts.length === 0) return
  await inTransaction(sql, async (db) => {
    const { rows } = await observeReceipts(db, deployment, receipts)
    for (const table of CHAIN_TABLES) await markDeep(db, table, rows[table])
  })
}

/** Answers those of these receipts that show anything of our charges that the ledger does not, or has otherwise. */
export async function findDiffering(
  { sql, deployment }: Deps,
  receipts: readonly PlacedReceipt[],
): Promise<readonly PlacedReceipt[]> {
  if (receipts.length === 0) return []
  const observed = await observeReceipts(sql, deployment, receipts)
  const unknown = await findUnknown(sql, observed)
  const differing = new Set(
    [...CHAIN_TABLES.flatMap((table) => unknown[table]), ...observed.unfit].map(({ txHash }) => txHash),
  )
  return receipts.filter(({ txHash }) => differing.has(txHash))
}
