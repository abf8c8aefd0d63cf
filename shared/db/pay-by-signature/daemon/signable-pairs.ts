import type { Address } from '../../../domain/address.ts'
import type { AuthorizationDomain } from '../../../domain/eip3009/authorization.ts'
import type { MicroDollars } from '../../../domain/money.ts'
import type { Db } from '../../connect.ts'

/** A token for which this daemon executes authorizations. */
export type SignableToken = {
  readonly tokenAddress: Address
  readonly domain: AuthorizationDomain
  readonly minimumMicro: MicroDollars
  readonly dailyGasLimit: number
}

/** Age at which an unchanged row is written again. A row expires at ten minutes (`OFFER_HOLDS`). */
const RENEWED_AFTER = '1 minute'

/**
 * Replaces the list of a chain's tokens for which this daemon executes authorizations. Skips pairs that are not
 * enabled, and unchanged rows that are younger than `RENEWED_AFTER`.
 *
 * @param query.kept - tokens that the caller could not check; their rows stay until they expire
 */
export async function replaceSignablePairs(
  db: Db,
  {
    chainId,
    tokens,
    kept = [],
  }: {
    readonly chainId: number
    readonly tokens: readonly SignableToken[]
    readonly kept?: readonly Address[]
  },
): Promise<void> {
  const addresses = [...tokens.map(({ tokenAddress }) => tokenAddress), ...kept]
  await db`
    delete from signable_pairs where chain_id = ${chainId} and token_address <> all (${addresses})`
  for (const { tokenAddress, domain, minimumMicro, dailyGasLimit } of tokens) {
    await db`
      insert into signable_pairs as s (chain_id, token_address, domain_name, domain_version, minimum_micro, daily_gas_limit)
      select p.chain_id, p.token_address, ${domain.name}, ${domain.version}, ${db.types.numeric(minimumMicro)}, ${dailyGasLimit}
      from pairs p where p.chain_id = ${chainId} and p.token_address = ${tokenAddress} and p.enabled
        and not exists (
          select from signable_pairs o
          where o.chain_id = p.chain_id and o.token_address = p.token_address and o.domain_name = ${domain.name}
            and o.domain_version = ${domain.version} and o.minimum_micro = ${db.types.numeric(minimumMicro)}
            and o.daily_gas_limit = ${dailyGasLimit} and o.refreshed_at > now() - ${RENEWED_AFTER}::interval)
      on conflict (chain_id, token_address) do update set domain_name = excluded.domain_name,
        domain_version = excluded.domain_version, minimum_micro = excluded.minimum_micro,
        daily_gas_limit = excluded.daily_gas_limit, refreshed_at = now()`
  }
}

/** Lists the contract addresses of a chain's tokens that have a row in `signable_pairs`, including expired rows. */
export async function listSignableTokens(db: Db, chainId: number): Promise<readonly Address[]> {
  const rows = await db<{ tokenAddress: Address }[]>`
    select token_address from signable_pairs where chain_id = ${chainId}`
  return rows.map(({ tokenAddress }) => tokenAddress)
}
