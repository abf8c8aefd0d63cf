import type { PayoutAddresses } from '../../../domain/families/families.ts'
import type { Environment } from '../../../domain/networks.ts'
import type { Db } from '../../connect.ts'

/** What a charge is that its merchant was told of and the database does not know. */
export type ImportedCharge = {
  /** Columns of a charge by their names, as `create_charges` takes them. */
  readonly columns: Readonly<Record<string, unknown>> & { readonly id: string }
  /** `req_…`, of the check that is asked for with it. */
  readonly checkId: string
}

/**
 * Writes a charge down as it was made, and asks the daemon to look for what was paid to it; announces nothing.
 *
 * @returns `known` if it is there already, and stays as it is
 * @throws SQLSTATE 23514 for terms that the service makes no charges with
 */
export async function importCharge(
  db: Db,
  { columns, checkId }: ImportedCharge,
): Promise<'imported' | 'known'> {
  const [row] = await db<[{ outcome: 'imported' | 'known' }]>`
    select import_charge(${db.json(columns as never)}, ${checkId}) as outcome`
  return row.outcome
}

/** Whose charges a key makes, and whom they pay. */
export type KeyOfImport = {
  readonly organizationId: string
  readonly environment: Environment
  readonly payoutAddresses: PayoutAddresses
}

/** Finds a key by its id, a revoked one too; `null` if there is none. */
export async function findKeyOfImport(db: Db, id: string): Promise<KeyOfImport | null> {
  const [key] = await db<KeyOfImport[]>`
    select organization_id, environment, payout_addresses(payout_address, other_payout_addresses) as payout_addresses
    from api_keys where id = ${id}`
  return key ?? null
}
