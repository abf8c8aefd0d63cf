import type { Books, PairBooks } from '../../../domain/accounting/books.ts'
import { placeKey } from '../../../domain/accounting/books.ts'
import type { Account } from '../../../domain/accounting/entry.ts'
import type { Address } from '../../../domain/address.ts'
import type { SplitRecipient, SplitTerms } from '../../../domain/charge.ts'
import { atto, type MicroDollars } from '../../../domain/money.ts'
import type { Db } from '../../connect.ts'

/** The columns of a charge that its books depend on. */
export type BookedChargeRow = {
  readonly id: string
  readonly amountMicro: MicroDollars
  readonly splitAddress: Address
  readonly splitTerms: SplitTerms
  readonly splitRecipients: readonly SplitRecipient[]
  readonly escrowReleaser: Address | null
  readonly confirmedAt: Date | null
  readonly settledAt: Date | null
  readonly escrowReleasedAt: Date | null
  readonly escrowRefundedAt: Date | null
}

/** Reads charges that the caller has locked. */
export async function readBookedCharges(
  db: Db,
  chargeIds: readonly string[],
): Promise<readonly BookedChargeRow[]> {
  return db<BookedChargeRow[]>`
    select id, amount_micro, split_address, split_terms, split_recipients, escrow_releaser, confirmed_at, settled_at,
      escrow_released_at, escrow_refunded_at
    from charges where id = any (${chargeIds}) order by id`
}

/** Sums the entries of charges that the caller has locked, by charge. Charges without entries are missing. */
export async function readBooks(db: Db, chargeIds: readonly string[]): Promise<ReadonlyMap<string, Books>> {
  const rows = await db<SumRow[]>`
    with entries as materialized (
      select e.charge_id, e.network, e.token, e.chain_id, e.token_address, e.decimals as unit, e.legs, e.posted_at,
        case when e.entry_id like 'sa\\_%' then 'sale' else e.category end as category,
        coalesce(p.decimals, 18) as decimals
      from accounting_entries e
      left join pairs p on p.network = e.network and p.token = e.token and p.environment = e.environment
      where e.charge_id = any (${chargeIds})),
    counts as (
      select charge_id, network, token, chain_id, token_address, decimals, jsonb_object_agg(category, n) as counts,
        min(first_at) filter (where category = 'payment') as first_paid_at,
        max(last_at) filter (where category = 'payment') as last_paid_at,
        max(last_at) filter (where category = 'escrow_release') as last_released_at
      from (select charge_id, network, token, chain_id, token_address, decimals, category, count(*)::int as n,
              min(posted_at) as first_at, max(posted_at) as last_at
            from entries group by 1, 2, 3, 4, 5, 6, 7) c
      group by 1, 2, 3, 4, 5, 6),
    sums as (
      select charge_id, network, token, chain_id, jsonb_object_agg(account, trunc(amount)::text) as sums
      from (select e.charge_id, e.network, e.token, e.chain_id, leg ->> 'account' as account,
              sum((leg ->> 'amount')::numeric * 10::numeric ^ (18 - e.unit)) as amount
            from entries e, jsonb_array_elements(e.legs) as leg group by 1, 2, 3, 4, 5) s
      group by 1, 2, 3, 4)
    select c.*, s.sums from counts c join sums s on s.charge_id = c.charge_id and s.network = c.network
      and s.token = c.token and coalesce(s.chain_id, 0) = coalesce(c.chain_id, 0)`
  const books = new Map<string, Map<string, PairBooks>>()
  for (const { chargeId, sums, ...row } of rows) {
    const ofCharge = books.get(chargeId) ?? new Map<string, PairBooks>()
    books.set(chargeId, ofCharge.set(placeKey(row), { ...row, balances: toBalances(sums) }))
  }
  return books
}

type SumRow = Omit<PairBooks, 'balances'> & {
  readonly chargeId: string
  readonly sums: Readonly<Record<string, string>>
}

function toBalances(sums: Readonly<Record<string, string>>): PairBooks['balances'] {
  return Object.fromEntries(
    Object.entries(sums).map(([account, sum]) => [account as Account, atto(BigInt(sum))]),
  )
}
