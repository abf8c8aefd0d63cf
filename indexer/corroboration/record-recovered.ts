import type { Verdict } from '../../shared/chain/nodes/quorum.ts'
import type { ChainRow, DeniedRow } from '../../shared/db/chain-facts/daemon/chain-rows.ts'
import { formatRowName } from '../../shared/db/chain-facts/daemon/chain-tables.ts'
import { listStruckTransactions } from '../../shared/db/charges/daemon/strikes.ts'
import type { Sql } from '../../shared/db/connect.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import type { WatchedDeployment } from '../chain-feed/observe.ts'
import { type AgreedEffects, type RecordedRows, recordAgreed } from './record-agreed.ts'

export type RecordDeps = {
  readonly sql: Sql
  readonly deployment: WatchedDeployment
  readonly log: Logger
  readonly metrics: CorroborationMetrics
  /** Called when rows were recorded, or may now count. */
  readonly onNews: () => void
}

export type CorroborationMetrics = {
  readonly countFound: (chainId: number, rows: number) => void
  /** Counts the nodes that contradict a quorum or each other. */
  readonly noteVerdict: (chainId: number, verdict: Verdict<unknown>) => void
}

/** Records the rows that a quorum shows. Logs each row that the feed lacked, or had with different content. */
export async function recordRecovered(
  deps: RecordDeps,
  all: readonly AgreedEffects[],
): Promise<RecordedRows> {
  if (all.length === 0) return { found: [], denied: [] }
  const { log, deployment } = deps
  const recorded = await recordAgreed(deps, deployment, all)
  deps.metrics.countFound(deployment.chainId, recorded.found.length)
  for (const row of recorded.found)
    log.warn({ msg: 'Recorded a row that the feed did not have', ...fieldsOf(row) })
  for (const row of recorded.denied) reportDenied(log, row)
  await reportStruck(deps, recorded.found)
  deps.onNews()
  return recorded
}

/** A denied row that counted continues to count, because only an operator can strike it (decisions 3.8, 9.2). */
function reportDenied(log: Logger, row: DeniedRow): void {
  const msg = row.isCounted
    ? 'A row that counted is denied by a quorum: see npm run charges -- strike'
    : 'A row of the feed differs from the quorum: it does not count'
  log.error({ msg, ...fieldsOf(row), row: formatRowName(row) })
}

/**
 * Logs the recorded rows whose transaction has a struck row, because such a row counts, although an operator struck a
 * row of the same transaction.
 */
async function reportStruck({ sql, deployment, log }: RecordDeps, found: readonly ChainRow[]): Promise<void> {
  if (found.length === 0) return
  const txHashes = [...new Set(found.map(({ txHash }) => txHash))]
  const struck = await listStruckTransactions(sql, { chainId: deployment.chainId, txHashes })
  for (const row of found.filter(({ txHash }) => struck.has(txHash)))
    log.error({ msg: 'A quorum shows a row in a transaction with a struck row', ...fieldsOf(row) })
}

function fieldsOf({ chainId, chargeId, txHash, logIndex }: ChainRow) {
  return { chain_id: chainId, charge_id: chargeId, tx_hash: txHash, log_index: logIndex }
}
