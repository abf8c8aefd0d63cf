import type { Hex } from '../../../domain/address.ts'
import type { AttoDollars } from '../../../domain/money.ts'
import type { Db } from '../../connect.ts'
import { toRowSet } from '../../rows.ts'

/** A credit, and the values on which the decision is based. */
export type DecidedCredit = {
  readonly id: number
  /** Inclusion on which the decision is based. */
  readonly blockHash: Hex
  /** The counted amount, because the same inclusion might be reported with another amount. */
  readonly amountAtto: AttoDollars
  /** Timestamp of the transfer's block, in seconds. It decides whether the transfer was on time. */
  readonly blockTimestamp: number
  readonly onTime: boolean
  readonly causedTransition: boolean
}

/**
 * Marks these transfers as credited, if each still has the inclusion, amount and time that were read. A transfer that
 * is already credited is not marked again, so that it is never credited twice.
 *
 * @returns the number of marked transfers; if it is less than the number given, the chain feed has changed a transfer
 * since it was read, and the turn must be repeated
 */
export async function markCredited(db: Db, credits: readonly DecidedCredit[], now: Date): Promise<number> {
  const { count } = await db`
    update transfers t set credited_at = ${now}, on_time = c.on_time, caused_transition = c.caused_transition
    from ${toRowSet(db, 'transfers', { rows: credits })} c
    where t.id = c.id and t.block_hash is not distinct from c.block_hash and t.amount_atto = c.amount_atto
      and t.block_timestamp = c.block_timestamp and t.credited_at is null and t.accepted and t.inclusion = 'included'`
  return count
}
