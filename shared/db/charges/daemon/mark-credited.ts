import type { Hex } from '../../../domain/address.ts'
import type { AttoDollars } from '../../../domain/money.ts'
import type { Db } from '../../connect.ts'

/** A credit and the values it was decided on. */
export type DecidedCredit = {
  readonly id: number
  /** Inclusion that the decision is based on. */
  readonly blockHash: Hex
  /** The counted amount: the same inclusion might be reported with another. */
  readonly amountAtto: AttoDollars
  /** Timestamp of its block, in seconds; decides whether it was on time. */
  readonly blockTimestamp: number
  readonly onTime: boolean
  readonly causedTransition: boolean
}

/**
 * Marks these transfers as credited, if each still has the inclusion, amount and time that were read. A transfer that
 * was credited is not marked again, so that it is never credited twice.
 *
 * @returns the number marked; fewer than given means that the chain feed was faster, and the turn must be repeated
 */
export async function markCredited(db: Db, credits: readonly DecidedCredit[], now: Date): Promise<number> {
  const rows = credits.map((credit) => ({ ...credit, amountAtto: String(credit.amountAtto) }))
  const { count } = await db`
    update transfers t set credited_at = ${now}, on_time = c."onTime", caused_transition = c."causedTransition"
    from jsonb_to_recordset(${db.json(rows as never)}) as c (id int8, "blockHash" text, "amountAtto" numeric,
      "blockTimestamp" int8, "onTime" boolean, "causedTransition" boolean)
    where t.id = c.id and t.block_hash is not distinct from c."blockHash" and t.amount_atto = c."amountAtto"
      and t.block_timestamp = c."blockTimestamp" and t.credited_at is null and t.accepted and t.inclusion = 'included'`
  return count
}
