import type { Books, PairBooks } from '../../../domain/accounting/books.ts'
import { placeKey } from '../../../domain/accounting/books.ts'
import type { Account } from '../../../domain/accounting/entry.ts'
import type { Address } from '../../../domain/address.ts'
import type { SplitRecipient, SplitTerms } from '../../../domain/charge.ts'
import { atto, type MicroDollars } from '../../../domain/money.ts'
import type { Db } from '../../connect.ts'

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

/** Reads charges, which the caller must have locked. */
export async function readBookedCharges(
  db: Db,
  chargeIds: readonly string[],
): Promise<readonly BookedChargeRow[]> {
  return db<BookedChargeRow[]>`
    select id, amount_micro, split_address, split_terms, split_recipients, escrow_releaser, confirmed_at, settled_at,
      escrow_released_at, escrow_refunded_at
    from charges where id = any (${chargeIds}) order by id`
}

/**
 * Reads the sums of the entries of each charge. The caller must have locked the charges. A charge without entries has
 * no key in the map.
 */
export async function readBooks(db: Db, chargeIds: readonly string[]): Promise<ReadonlyMap<string, Books>> {
  const rows = await db<SumRow[]>`
    select b.charge_id, b.network, b.token, b.chain_id, b.token_address, coalesce(p.decimals, 18) as decimals, b.counts,
      (select jsonb_object_agg(key, value) from jsonb_each_text(b.balances)) as sums,
      b.first_paid_at, b.last_paid_at, b.last_released_at
    from accounting_balances b join charges c on c.id = b.charge_id
    left join pairs p on p.network = b.network and p.token = b.token and p.environment = c.environment
    where b.charge_id = any (${chargeIds})`
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

/**
 * Returns, for each charge, the time of the last turn that changed its books or the columns that determine its books. A
 * charge without such a turn has no key in the map.
 */
export async function listLastTurns(
  db: Db,
  chargeIds: readonly string[],
): Promise<ReadonlyMap<string, Date>> {
  const rows = await db<{ id: string; lastAt: Date | null }[]>`
    select c.id, greatest(c.confirmed_at, c.settled_at, c.escrow_released_at, c.escrow_refunded_at,
      (select max(b.last_counted_at) from accounting_balances b where b.charge_id = c.id)) as last_at
    from charges c where c.id = any (${chargeIds})`
  return new Map(rows.flatMap(({ id, lastAt }) => (lastAt === null ? [] : [[id, lastAt]])))
}
