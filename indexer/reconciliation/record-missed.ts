import type { PlacedReceipt } from '../../shared/chain/receipts.ts'
import type { Sql } from '../../shared/db/connect.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import type { WatchedDeployment } from '../chain-feed/observe.ts'
import { recordFound } from './record-found.ts'

/** What looks for what the watcher has not works with. */
export type ScanDeps = {
  readonly sql: Sql
  readonly deployment: WatchedDeployment
  readonly log: Logger
  readonly metrics: { readonly countFound: (chainId: number, rows: number) => void }
  /** Called when rows were recorded, or may count from now on. */
  readonly onNews: () => void
}

/** Records what may be believed and the watcher had not, or had otherwise, and tells an operator of each row. */
export async function recordMissed(deps: ScanDeps, receipts: readonly PlacedReceipt[]): Promise<void> {
  if (receipts.length === 0) return
  const { chainId } = deps.deployment
  const found = await recordFound(deps, deps.deployment, receipts)
  deps.metrics.countFound(chainId, found.length)
  for (const row of found) {
    const fields = {
      chain_id: chainId,
      charge_id: row.chargeId,
      tx_hash: row.txHash,
      log_index: row.logIndex,
    }
    deps.log.warn({ msg: 'Recorded what the watcher had not', ...fields })
  }
  deps.onNews()
}
