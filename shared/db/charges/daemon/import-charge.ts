import type { PayoutAddresses } from '../../../domain/chain-families/chain-families.ts'
import type { Environment } from '../../../domain/networks.ts'
import type { Db } from '../../connect.ts'

/** A charge that is in the merchant's records but not in the database. */
export type ImportedCharge = {
  /** Columns of `charges` by name, as `import_charge` expects them. */
  readonly columns: Readonly<Record<string, unknown>> & { readonly id: string }
  /** Id (`req_…`) of the check that is requested with the import. */
  readonly checkId: string
}

/**
 * Inserts a charge as `pending`, and requests a check for payments to it. Emits no event.
 *
 * @returns `imported`, or `known` if the charge already exists, which is then not changed
 * @throws SQLSTATE 23514 for terms with which the service does not create charges, or a pair that was never watched
 */
export async function importCharge(
  db: Db,
  { columns, checkId }: ImportedCharge,
): Promise<'imported' | 'known'> {
  const [row] = await db<[{ outcome: 'imported' | 'known' }]>`
    select import_charge(${db.json(columns as never)}, ${checkId}) as outcome`
  return row.outcome
}

/** The organization for which a key creates charges, and the key's payout addresses. */
export type ImportKey = {
  readonly organizationId: string
  readonly environment: Environment
  readonly payoutAddresses: PayoutAddresses
}

/** Finds a key by its id, even if it is revoked; `null` if there is none. */
export async function findImportKey(db: Db, id: string): Promise<ImportKey | null> {
  const [key] = await db<ImportKey[]>`
    select organization_id, environment, build_payout_addresses(payout_address, other_payout_addresses) as payout_addresses
    from api_keys where id = ${id}`
  return key ?? null
}
