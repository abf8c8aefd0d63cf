import type { Sql } from '../../shared/db/connect.ts'
import type { Address, ChainFamilyName } from '../../shared/domain/address.ts'
import { ENVIRONMENTS, type Environment } from '../../shared/domain/networks.ts'
import { SPLIT_FACTORY } from '../../shared/domain/split-address.ts'

/** Records the treasury and the default fees for EVM charges in both environments, as the daemon does at its start. */
export async function insertServiceTerms(sql: Sql, treasury: string): Promise<void> {
  for (const environment of ENVIRONMENTS)
    await insertTrustedTerms(sql, { family: 'evm', environment, factory: SPLIT_FACTORY, treasury })
}

/** Records the service terms of one family and environment, and marks the factory as trusted. */
export async function insertTrustedTerms(
  sql: Sql,
  place: {
    readonly family: ChainFamilyName
    readonly environment: Environment
    readonly factory: Address
    readonly treasury: string
  },
): Promise<void> {
  const { family, environment, factory } = place
  await sql`
    insert into service_terms (family, environment, factory, treasury, fee_percent, escrow_fee_percent,
      distributor_fee_percent)
    values (${family}, ${environment}, ${factory}, ${place.treasury.toLowerCase()}, 1, 0.5, 0.1) on conflict do nothing`
  await sql`
    insert into trusted_factories (family, environment, factory) values (${family}, ${environment}, ${factory})
    on conflict do nothing`
}

/** Inserts an API key of an organization with this payout address. No caller can authenticate with the key. */
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
