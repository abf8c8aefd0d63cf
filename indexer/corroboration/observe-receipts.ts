import type { PositionedReceipt } from '../../shared/chain/nodes/receipts.ts'
import { listAllChainRows } from '../../shared/db/chain-facts/daemon/chain-rows.ts'
import { CHAIN_TABLES, type ChainTable } from '../../shared/db/chain-facts/daemon/chain-tables.ts'
import type { DeadLetterLog } from '../../shared/db/chain-facts/daemon/dead-letter-logs.ts'
import type { ObservedRow } from '../../shared/db/chain-facts/daemon/observed-rows.ts'
import { findChargesByAddress } from '../../shared/db/chain-facts/watched-charges.ts'
import type { Db } from '../../shared/db/connect.ts'
import { partitionStorable } from '../chain-feed/dead-letter-logs.ts'
import { decodeReceipt } from '../chain-feed/decode-receipt.ts'
import { matchOrdinals } from '../chain-feed/match-ordinals.ts'
import { listAddresses, type WatchedDeployment } from '../chain-feed/observe.ts'
import { observeRows } from '../chain-feed/observe-rows.ts'

/** Effects of transactions on our charges. */
export type ObservedReceipts = {
  readonly rows: Readonly<Record<ChainTable, readonly ObservedRow[]>>
  /** Logs with a value that is too large for its column. */
  readonly unfit: readonly DeadLetterLog[]
}

/**
 * Returns the effects of receipts on our charges. Uses the feed's functions and the ledger's ordinals, so that the rows
 * equal the feed's rows.
 */
export async function observeReceipts(
  db: Db,
  deployment: WatchedDeployment,
  receipts: readonly PositionedReceipt[],
): Promise<ObservedReceipts> {
  const decoded = receipts.map(decodeReceipt)
  const seen = {
    transfers: decoded.flatMap((receipt) => receipt.transfers),
    splitEvents: decoded.flatMap((receipt) => receipt.splitEvents),
  }
  const observed = observeRows(seen, deployment, await findChargesByAddress(db, listAddresses(seen)))
  const of = { chainId: deployment.chainId, txHashes: receipts.map(({ txHash }) => txHash) }
  const rows: Record<ChainTable, readonly ObservedRow[]> = { ...observed }
  const unfit: DeadLetterLog[] = []
  for (const table of CHAIN_TABLES) {
    const storable = partitionStorable<ObservedRow>(observed[table])
    rows[table] = matchOrdinals(storable.fit, await listAllChainRows(db, table, of))
    unfit.push(...storable.unfit)
  }
  return { rows, unfit }
}
