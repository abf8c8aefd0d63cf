import type { Address } from '../../../domain/address.ts'
import type { Db } from '../../connect.ts'
import { type ChargeRow, chargeColumns } from '../charge-row.ts'

/** Finds the charges whose payment address or split is among these, simulated ones too, with all their terms. */
export async function findTermsByAddress(
  db: Db,
  addresses: readonly Address[],
): Promise<readonly ChargeRow[]> {
  if (addresses.length === 0) return []
  return db<ChargeRow[]>`
    select ${chargeColumns(db)} from charges c
    where c.address = any (${addresses})
      or (c.split_address = any (${addresses}) and c.escrow_releaser is not null)`
}
