import type { Address } from '../../../domain/address.ts'
import type { Db } from '../../connect.ts'

/** Address of a charge or its split, on every chain of the family. If `isEscrow`, transfers out of it are read too. */
export type KnownAddress = { readonly address: Address; readonly isEscrow: boolean }

/**
 * Finds which of these addresses are a charge's payment address or an escrow's split.
 *
 * Costs two index look-ups per address. Every call reads the database, which has each charge before its address is
 * shown. An in-memory set with a cursor would miss a charge that a slow transaction commits late. Simulated charges are
 * excluded, because they are on no chain.
 */
export async function findKnownAddresses(
  db: Db,
  addresses: readonly Address[],
): Promise<readonly KnownAddress[]> {
  return db<KnownAddress[]>`
    select c.address, c.escrow_releaser is not null as is_escrow from charges c
    where c.address = any (${addresses}) and not c.is_simulated
    union all
    select c.split_address, false from charges c
    where c.split_address = any (${addresses}) and c.escrow_releaser is not null and not c.is_simulated`
}

/** Lists all charges' addresses, or returns `null` if there are more than `limit`. */
export async function listKnownAddresses(db: Db, limit: number): Promise<readonly KnownAddress[] | null> {
  const rows = await db<KnownAddress[]>`
    select * from (
      select c.address, c.escrow_releaser is not null as is_escrow from charges c where not c.is_simulated
      union all
      select c.split_address, false from charges c where c.escrow_releaser is not null and not c.is_simulated
    ) known limit ${limit + 1}`
  return rows.length > limit ? null : rows
}
