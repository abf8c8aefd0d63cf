import type { Hex } from '../../../domain/address.ts'
import type { Db } from '../../connect.ts'

/** Dead letter: a log of one of our charges with a value that does not fit its column. */
export type DeadLetterLog = {
  readonly chainId: number
  readonly chargeId: string
  readonly txHash: Hex
  readonly logIndex: number
  /** The field, its value and the limit. */
  readonly reason: string
}

/**
 * Stores dead letters: logs that cannot be recorded and must not block the other logs of their chain.
 *
 * @returns the newly stored logs, which the caller must report
 */
export async function insertDeadLetterLogs(
  db: Db,
  logs: readonly DeadLetterLog[],
): Promise<readonly DeadLetterLog[]> {
  if (logs.length === 0) return []
  const inserted = await db<{ txHash: Hex; logIndex: string }[]>`
    insert into dead_letter_logs (chain_id, tx_hash, log_index, charge_id, reason)
    select l."chainId", l."txHash", l."logIndex", l."chargeId", l.reason
    from jsonb_to_recordset(${db.json(logs)}) as l ("chainId" int8, "txHash" text, "logIndex" numeric,
      "chargeId" text, reason text)
    on conflict do nothing
    returning tx_hash, log_index::text`
  const news = new Set(inserted.map((row) => `${row.txHash}/${row.logIndex}`))
  return logs.filter(({ txHash, logIndex }) => news.has(`${txHash}/${logIndex}`))
}
