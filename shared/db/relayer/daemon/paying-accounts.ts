import type { Address } from '../../../domain/address.ts'
import type { Db } from '../../connect.ts'

/** An account that pays gas on a chain, and the kind of transactions that it pays for. */
export type PayingAccount = {
  readonly chainId: number
  readonly purpose: 'payouts' | 'signatures'
  readonly address: Address
}

/** Records that a running daemon uses these accounts. Skips chains that were never watched. */
export async function recordPayingAccounts(db: Db, accounts: readonly PayingAccount[]): Promise<void> {
  const [chainIds, purposes, addresses] = [
    accounts.map(({ chainId }) => String(chainId)),
    accounts.map(({ purpose }) => purpose),
    accounts.map(({ address }) => address),
  ]
  await db`
    insert into paying_accounts (chain_id, purpose, address)
    select chain_id, purpose, address
    from unnest(${chainIds}::text[]::int8[], ${purposes}::text[], ${addresses}::text[]) as t (chain_id, purpose, address)
    join deployments using (chain_id)
    on conflict (chain_id, purpose, address) do update set seen_at = now()`
}
