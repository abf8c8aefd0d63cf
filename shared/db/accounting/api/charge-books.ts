import type { Account, EntryPlace } from '../../../domain/accounting/entry.ts'
import type { Address, Hex } from '../../../domain/address.ts'
import type { AttoDollars } from '../../../domain/money.ts'
import type { Network, Token } from '../../../domain/networks.ts'
import type { Tenant } from '../../../domain/tenant.ts'
import type { Db } from '../../connect.ts'

/**
 * Maximum payments and payouts in one response, so that many tiny payments cannot fill memory. `sumChargeBooks` still
 * sums all of them.
 */
export const MAX_LISTED_ENTRIES = 1_000

/**
 * The sum of the legs of one account in a charge's entries of one pair. `decimals` are the token's decimals, or 18 if
 * an entry has an amount that is not a whole number of the token's units.
 */
export type BooksSum = EntryPlace & {
  /**
   * The summed entries: payments, transfers out of the Safe, refunds from the wallet, or all others. Corrections of
   * payments and Safe transfers are summed with them.
   */
  readonly kind: 'payment' | 'escrow' | 'refund' | 'other'
  readonly account: Account
  /** Recipient of a paid or held amount; `null` for other accounts. */
  readonly party: Address | null
  readonly amountAtto: AttoDollars
}

export async function sumChargeBooks(
  db: Db,
  { tenant, id }: { readonly tenant: Tenant; readonly id: string },
): Promise<readonly BooksSum[]> {
  return db<BooksSum[]>`
    with entries as materialized (
      select e.*, coalesce(p.decimals, 18) as token_decimals from accounting_entries e
      left join pairs p on p.network = e.network and p.token = e.token and p.environment = e.environment
      where e.charge_id = ${id} and e.organization_id = ${tenant.organizationId}
        and e.environment = ${tenant.environment})
    select e.network, e.token, e.chain_id, e.token_address,
      (select max(greatest(o.decimals, o.token_decimals)) from entries o
       where o.network = e.network and o.token = e.token and o.chain_id is not distinct from e.chain_id) as decimals,
      case when e.category = 'payment' or e.corrects like 'tr\\_%' then 'payment'
        when e.category in ('escrow_release', 'escrow_refund') or e.corrects like 'es\\_%' then 'escrow'
        when e.category = 'refund' then 'refund' else 'other' end as kind,
      leg ->> 'account' as account,
      case when leg ->> 'account' in ('held', 'wallet', 'share', 'fee') then leg ->> 'party' end as party,
      trunc(sum((leg ->> 'amount')::numeric * 10::numeric ^ (18 - e.decimals))) as amount_atto
    from entries e, jsonb_array_elements(e.legs) as leg
    group by 1, 2, 3, 4, 5, 6, 7, 8
    order by 1, 2, 3 nulls last, 6, 7, 8`
}

/** A payment or a payout that was not struck. */
export type BookedRow = {
  readonly category: 'payment' | 'payout'
  readonly network: Network
  readonly token: Token
  readonly chainId: number | null
  readonly txHash: Hex | null
  readonly blockNumber: number | null
  readonly amountAtto: AttoDollars
  /** A payment's sender, or a payout's distributor; `null` if the distribution names no distributor. */
  readonly party: Address | null
  readonly hasIncentive: boolean
  readonly postedAt: Date
  readonly countedAt: Date
}

/** Lists the oldest payments and payouts of a tenant's charge, at most `MAX_LISTED_ENTRIES` in total. */
export async function listBookedRows(
  db: Db,
  { tenant, id }: { readonly tenant: Tenant; readonly id: string },
): Promise<readonly BookedRow[]> {
  return db<BookedRow[]>`
    select e.category, e.network, e.token, e.chain_id, e.tx_hash, e.block_number, e.posted_at, e.counted_at,
      (select trunc(sum(abs((leg ->> 'amount')::numeric)) * 10::numeric ^ (18 - e.decimals))
       from jsonb_array_elements(e.legs) as leg
       where leg ->> 'account' = any (case e.category when 'payment' then '{liability}'::text[]
         else '{clearing,uncredited}'::text[] end)) as amount_atto,
      e.legs -> 0 ->> 'party' as party,
      e.legs @> '[{"account": "incentive"}]' as has_incentive
    from accounting_entries e
    where e.charge_id = ${id} and e.organization_id = ${tenant.organizationId}
      and e.environment = ${tenant.environment} and e.category in ('payment', 'payout')
      and not exists (
        select from accounting_entries a where a.charge_id = e.charge_id and a.corrects = e.entry_id)
    order by e.posted_at, e.entry_id limit ${MAX_LISTED_ENTRIES}`
}

/** Maps addresses to the ids of registered recipients, including revoked ones. */
export async function findRecipientIds(
  db: Db,
  {
    tenant,
    addresses,
    family,
  }: { readonly tenant: Tenant; readonly addresses: readonly Address[]; readonly family: string },
): Promise<ReadonlyMap<string, string>> {
  const rows = await db<{ address: string; id: string }[]>`
    select address, id from recipients
    where organization_id = ${tenant.organizationId} and environment = ${tenant.environment} and family = ${family}
      and address = any (${addresses})`
  return new Map(rows.map(({ address, id }) => [address, id]))
}
