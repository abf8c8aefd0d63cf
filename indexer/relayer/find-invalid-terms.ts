import { type ChargeRow, toChargeRecord } from '../../shared/db/charges/charge-row.ts'
import { listTrustedTerms, readPayeeFacts } from '../../shared/db/charges/daemon/service-terms.ts'
import type { Db } from '../../shared/db/connect.ts'
import { findTermsProblem } from '../../shared/domain/find-terms-problem.ts'

/** Recomputes the terms of charges. Returns, by id, why this service cannot have created a charge. */
export async function findInvalidTerms(
  db: Db,
  charges: readonly ChargeRow[],
): Promise<ReadonlyMap<string, string>> {
  if (charges.length === 0) return new Map()
  const ids = charges.map(({ id }) => id)
  const [believed, evidence] = [await listTrustedTerms(db), await readPayeeFacts(db, ids)]
  const problemOf = (charge: ChargeRow): string | null => {
    const known = evidence.get(charge.id)
    return known === undefined
      ? 'the charge does not exist'
      : findTermsProblem(toChargeRecord(charge), known, believed)
  }
  return new Map(
    charges.flatMap((charge) => {
      const problem = problemOf(charge)
      return problem === null ? [] : [[charge.id, problem] as const]
    }),
  )
}
