import type { ChargeRow } from '../../shared/db/charges/charge-row.ts'
import type { Sql } from '../../shared/db/connect.ts'

/** Inserts charges with the given columns, in any state. */
export async function insertChargeRows(sql: Sql, charges: readonly ChargeRow[]): Promise<void> {
  const rows = charges.map(
    ({ txHash: _, escrowPendingAction: __, authorization: ___, refunds: ____, ...charge }) => ({
      ...charge,
      ...{ amountMicro: String(charge.amountMicro), onTimeAtto: String(charge.onTimeAtto) },
      ...{ receivedAtto: charge.receivedAtto === null ? null : String(charge.receivedAtto) },
      splitTerms: sql.json({ ...charge.splitTerms }),
      splitRecipients: sql.json(charge.splitRecipients as never),
      requestHash: Buffer.alloc(32),
    }),
  )
  await sql`insert into charges ${sql(rows as never)}`
}
