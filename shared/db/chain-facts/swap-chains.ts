import type { Network, PairKey } from '../../domain/networks.ts'
import type { SwapSupport } from '../../domain/swap/swap-alternatives.ts'
import { SWAP_PROVIDERS, type SwapProviderName } from '../../domain/swap/swap-providers.ts'
import type { Db } from '../connect.ts'

/** Records the chains that a provider reports as supported for swaps. */
export async function recordSwapChains(
  db: Db,
  { provider, chainIds }: { readonly provider: SwapProviderName; readonly chainIds: readonly number[] },
): Promise<void> {
  await db`
    insert into swap_chains (provider, chain_ids) values (${provider}, ${[...chainIds]}::bigint[])
    on conflict (provider) do update set chain_ids = excluded.chain_ids, fetched_at = now()`
}

/** Returns the chains of a provider's last report; before its first report, its chains in `SWAP_PROVIDERS`. */
export async function findSwapChains(db: Db, provider: SwapProviderName): Promise<readonly number[]> {
  const [row] = await db<{ chainIds: number[] }[]>`
    select ${chainsOf(db, provider)} as chain_ids`
  return row?.chainIds ?? SWAP_PROVIDERS[provider].chainIds
}

/** Reads the current swap options: the live networks that the provider supports, and the paused pairs. */
export async function findSwapSupport(db: Db, provider: SwapProviderName): Promise<SwapSupport> {
  const [row] = await db<{ networks: Network[]; unavailablePayments: PairKey[] }[]>`
    select
      array(select d.network from deployments d
        where d.environment = 'live' and d.chain_id = any (${chainsOf(db, provider)})) as networks,
      array(select p.token || '/' || p.network from pairs p
        where p.environment = 'live' and p.paused_at is not null) as unavailable_payments`
  return { networks: new Set(row?.networks), unavailablePayments: new Set(row?.unavailablePayments) }
}

function chainsOf(db: Db, provider: SwapProviderName) {
  const known = [...SWAP_PROVIDERS[provider].chainIds]
  return db`
    coalesce((select s.chain_ids from swap_chains s where s.provider = ${provider}), ${known}::bigint[])`
}
