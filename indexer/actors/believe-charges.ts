import { type ChargeRow, toChargeRecord } from '../../shared/db/charge-row.ts'
import type { Db } from '../../shared/db/connect.ts'
import { parkCharge } from '../../shared/db/parked-charges.ts'
import { listServiceTerms, readTermsEvidence } from '../../shared/db/service-terms.ts'
import { findTermsProblem } from '../../shared/domain/find-terms-problem.ts'
import type { Logger } from '../../shared/runtime/logger.ts'

/**
 * Answers those of these charges whose terms are what the service makes charges with; the others are parked with an
 * alert, and nothing happens to them any more. The caller holds their locks.
 */
export async function believeCharges(
  { log }: { readonly log: Logger },
  db: Db,
  charges: readonly ChargeRow[],
): Promise<readonly ChargeRow[]> {
  if (charges.length === 0) return []
  const ids = charges.map(({ id }) => id)
  const [believed, evidence] = [await listServiceTerms(db), await readTermsEvidence(db, ids)]
  const problems = new Map(charges.map((charge) => [charge.id, problemOf(charge)]))
  for (const [id, problem] of problems) {
    if (problem === null) continue
    log.error({ msg: 'Parked a charge whose terms are not ours', charge_id: id, problem })
    await parkCharge(db, id)
  }
  return charges.filter(({ id }) => problems.get(id) === null)

  function problemOf(charge: ChargeRow): string | null {
    const known = evidence.get(charge.id)
    return known === undefined ? 'it is gone' : findTermsProblem(toChargeRecord(charge), known, believed)
  }
}
