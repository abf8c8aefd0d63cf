import type { Hex } from '../../../domain/address.ts'
import type { AttoDollars } from '../../../domain/money.ts'
import type { Db } from '../../connect.ts'
import { toRowSet } from '../../rows.ts'

/** A credit to record, and the transfer's values when it was read. */
export type DecidedCredit = {
  readonly id: number
  /** Block of the transfer when it was read. */
  readonly blockHash: Hex
  /** The credited amount. The feed might report another amount in the same block. */
  readonly amountAtto: AttoDollars
  /** Timestamp of the transfer's block, in seconds. It decides whether the transfer was on time. */
  readonly blockTimestamp: number
  readonly onTime: boolean
  readonly causedTransition: boolean
}

/**
 * Marks these transfers as credited, except transfers that are already credited, are no longer included, or have
 * another block, amount or block time than when they were read.
 *
 * @returns the number of marked transfers; if fewer than given, a transfer has changed since it was read, and the turn
 * must be repeated
 */
export async function markCredited(db: Db, credits: readonly DecidedCredit[], now: Date): Promise<number> {
  const { count } = await db`
    update transfers t set credited_at = ${now}, on_time = c.on_time, caused_transition = c.caused_transition
    from ${toRowSet(db, 'transfers', { rows: credits })} c
    where t.id = c.id and t.block_hash is not distinct from c.block_hash and t.amount_atto = c.amount_atto
      and t.block_timestamp = c.block_timestamp and t.credited_at is null and t.accepted and t.inclusion = 'included'`
  return count
}
