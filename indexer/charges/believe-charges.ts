import type { ChargeRow } from '../../shared/db/charges/charge-row.ts'
import { parkCharge } from '../../shared/db/charges/parked-charges.ts'
import type { Db } from '../../shared/db/connect.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import { findForged } from '../relayer/find-forged.ts'

/**
 * Answers those of these charges whose terms are what the service makes charges with; the others are parked with an
 * alert, and nothing happens to them any more. The caller holds their locks.
 */
export async function believeCharges(
  { log }: { readonly log: Logger },
  db: Db,
  charges: readonly ChargeRow[],
): Promise<readonly ChargeRow[]> {
  const forged = await findForged(db, charges)
  for (const [id, problem] of forged) {
    log.error({ msg: 'Parked a charge whose terms are not ours', charge_id: id, problem })
    await parkCharge(db, id)
  }
  return charges.filter(({ id }) => !forged.has(id))
}
