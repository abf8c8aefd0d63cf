import type { Address } from '../../../domain/address.ts'
import type { Db } from '../../connect.ts'
import { type ChargeRow, chargeColumns } from '../charge-row.ts'

/**
 * The terms to which a charge's addresses commit, and these addresses, which are the same on each network of the
 * family. The `escrowReleaser` of an escrow charge is the only account that can move the funds at `address`.
 */
export type ChargeTerms = Pick<
  ChargeRow,
  'id' | 'environment' | 'family' | 'address' | 'splitAddress' | 'splitTerms' | 'escrowReleaser'
>

/** Finds the terms of a charge of any organization; `null` if there is none. For operators. */
export async function findChargeTerms(db: Db, id: string): Promise<ChargeTerms | null> {
  const [terms] = await db<ChargeTerms[]>`
    select id, environment, family, address, split_address, split_terms, escrow_releaser
    from charges where id = ${id}`
  return terms ?? null
}

/** Finds a charge of any organization; `null` if there is none. */
export async function findChargeRow(db: Db, id: string): Promise<ChargeRow | null> {
  const [row] = await db<ChargeRow[]>`select ${chargeColumns(db)} from charges c where c.id = ${id}`
  return row ?? null
}

/** Lists the charges whose payment address or split is one of these addresses, including simulated charges. */
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
