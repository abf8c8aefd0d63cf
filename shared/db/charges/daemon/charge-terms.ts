import type { Address, AddressFamily } from '../../../domain/address.ts'
import type { SplitTerms } from '../../../domain/charge.ts'
import type { Environment } from '../../../domain/networks.ts'
import type { Db } from '../../connect.ts'
import { type ChargeRow, chargeColumns } from '../charge-row.ts'

/** What a charge's addresses commit to, and where they are on every network of their family. */
export type ChargeTerms = {
  readonly id: string
  readonly environment: Environment
  readonly family: AddressFamily
  /** Where it is paid. */
  readonly address: Address
  readonly splitAddress: Address
  readonly splitTerms: SplitTerms
  /** Set on an escrow charge: the only one who can move what lies at `address`. */
  readonly escrowReleaser: Address | null
}

/** Finds the terms of any organization's charge: for operators. */
export async function findChargeTerms(db: Db, id: string): Promise<ChargeTerms | null> {
  const [terms] = await db<ChargeTerms[]>`
    select id, environment, family, address, split_address, split_terms, escrow_releaser
    from charges where id = ${id}`
  return terms ?? null
}

/** Finds a charge with all its terms; `null` if there is none. */
export async function findChargeRow(db: Db, id: string): Promise<ChargeRow | null> {
  const [row] = await db<ChargeRow[]>`select ${chargeColumns(db)} from charges c where c.id = ${id}`
  return row ?? null
}

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
