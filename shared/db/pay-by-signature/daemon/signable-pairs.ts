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

/**
 * Age at which an unchanged entry is written again. An entry expires after ten minutes (`OFFER_HOLDS`) unless it is
 * written again.
 */
const RENEWED_AFTER = '1 minute'

/**
 * Sets the tokens of a chain for which this daemon executes authorizations. Removes all others.
 *
 * A pair that is not enabled is skipped until it is enabled. An unchanged entry that was written within the last minute
 * is not written again.
 *
 * @param query.kept - tokens whose state is currently unknown; their entries stay until they expire
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

/** Lists the contract addresses of a chain's tokens that have an entry, including tokens whose entry has expired. */
export async function listSignableTokens(db: Db, chainId: number): Promise<readonly Address[]> {
  const rows = await db<{ tokenAddress: Address }[]>`
    select token_address from signable_pairs where chain_id = ${chainId}`
  return rows.map(({ tokenAddress }) => tokenAddress)
}
