import type { Sql } from '../../shared/db/connect.ts'
import type { Address } from '../../shared/domain/address.ts'
import type { Environment } from '../../shared/domain/networks.ts'
import { SPLIT_FACTORY } from '../../shared/domain/split-address.ts'

/** Writes down what the daemon does at its start: with which treasury and (default) fees charges are made. */
export async function insertServiceTerms(sql: Sql, treasury: string): Promise<void> {
  await sql`
    insert into service_terms (family, environment, factory, treasury, fee_percent, escrow_fee_percent,
      distributor_fee_percent)
    select 'evm', environment, ${SPLIT_FACTORY}, ${treasury.toLowerCase()}, 1, 0.5, 0.1
    from unnest('{live,test}'::text[]) environment on conflict do nothing`
}

/** Inserts a key of an organization, of which only the payout address matters; nobody knows the key itself. */
export async function insertPayoutKey(
  sql: Sql,
  key: {
    readonly id: string
    readonly organizationId: string
    readonly environment: Environment
    readonly payoutAddress: Address
  },
): Promise<void> {
  await sql`
    insert into api_keys (id, organization_id, environment, key_hash, hint, payout_address, scopes)
    values (${key.id}, ${key.organizationId}, ${key.environment}, sha256(${key.id}::bytea), '…', ${key.payoutAddress}, '{}')`
}
