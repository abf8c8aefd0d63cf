import type { DeadLetterLog } from '../../shared/db/chain-facts/daemon/dead-letter-logs.ts'
import type { Hex } from '../../shared/domain/address.ts'
import type { Logger } from '../../shared/runtime/logger.ts'

/** Common fields of observed rows. */
type Observed = {
  readonly chainId: number
  readonly chargeId: string
  readonly txHash: Hex
  readonly logIndex: number
}

/**
 * Maximum of the type `numeric(78, 0)`. Every `uint256` fits, but an amount that is stored in 10⁻¹⁸ dollars does not if
 * the log shows 10⁶⁶ or more atomic units of a token with six decimals.
 */
const MAX_AMOUNT = 10n ** 78n - 1n

/** The largest numbers that we store. A node can return any number. */
const MAX_NUMBERS: Readonly<Record<string, number>> = {
  ordinal: 2 ** 31 - 1,
  logIndex: 2 ** 31 - 1,
  blockNumber: Number.MAX_SAFE_INTEGER,
  blockTimestamp: 253_402_300_799, // the end of the year 9999
}

/** Separates rows that fit our tables from logs that become dead letters. Each dead letter states its reason. */
export function partitionStorable<Row extends Observed>(
  rows: readonly Row[],
): { readonly fit: readonly Row[]; readonly unfit: readonly DeadLetterLog[] } {
  const judged = rows.map((row) => ({ row, reason: reasonAgainst(row) }))
  return {
    fit: judged.flatMap(({ row, reason }) => (reason === null ? [row] : [])),
    unfit: judged.flatMap(({ row, reason }) => (reason === null ? [] : [{ ...placeOf(row), reason }])),
  }
}

/** Logs an error for each dead letter. Callers pass only newly recorded ones, so none is reported twice. */
export function reportDeadLetterLogs(log: Logger, logs: readonly DeadLetterLog[]): void {
  for (const { chainId, chargeId, txHash, logIndex, reason } of logs)
    log.error({
      msg: 'Moved a log to the dead letters: it cannot be recorded and is not credited',
      ...{ chain_id: chainId, charge_id: chargeId, tx_hash: txHash, log_index: logIndex, reason },
    })
}

function reasonAgainst(row: Observed): string | null {
  for (const [field, value] of Object.entries(row) as [string, unknown][]) {
    if (typeof value === 'bigint' && value > MAX_AMOUNT) return `${field} ${value} is above ${MAX_AMOUNT}`
    const limit = MAX_NUMBERS[field]
    if (limit !== undefined && typeof value === 'number' && !(value <= limit))
      return `${field} ${value} is above ${limit}`
  }
  return null
}

function placeOf({ chainId, chargeId, txHash, logIndex }: Observed) {
  return { chainId, chargeId, txHash, logIndex }
}
