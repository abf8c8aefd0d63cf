import type { ChargeRow } from '../../shared/db/charges/charge-row.ts'
import { readLockedCharges } from '../../shared/db/charges/daemon/charge-inbox.ts'
import type { Db } from '../../shared/db/connect.ts'
import { invariant } from '../../shared/domain/errors.ts'

/** Returns a charge. The caller must hold its lock. */
export async function getLockedCharge(db: Db, chargeId: string): Promise<ChargeRow> {
  const [charge] = await readLockedCharges(db, [chargeId])
  invariant(charge !== undefined, `the charge ${chargeId} of a refund does not exist`)
  return charge
}
