import type { AccountingEntry, Leg } from '../../domain/accounting/entry.ts'
import { atto } from '../../domain/money.ts'
import type { Db } from '../connect.ts'

export type StoredEntry = AccountingEntry & { readonly recordedAt: Date }

/** Lists the entries of charges in the order of posting, at most `limit`; without `limit`, all entries. */
export async function listEntries(
  db: Db,
  { chargeIds, limit = null }: { readonly chargeIds: readonly string[]; readonly limit?: number | null },
): Promise<readonly StoredEntry[]> {
  const rows = await db<EntryRow[]>`
    select e.entry_id, e.charge_id, e.category, e.corrects, e.network, e.token, e.chain_id, e.token_address, e.tx_hash,
      e.block_number, e.legs, e.decimals as unit, e.posted_at, e.counted_at, e.recorded_at,
      coalesce(p.decimals, 18) as decimals
    from accounting_entries e
    left join pairs p on p.network = e.network and p.token = e.token and p.environment = e.environment
    where e.charge_id = any (${chargeIds}) order by e.posted_at, e.entry_id limit ${limit}`
  return rows.map(toEntry)
}

type EntryRow = Omit<StoredEntry, 'legs'> & {
  readonly legs: readonly (Omit<Leg, 'amountAtto'> & { readonly amount: string })[]
  /** Decimals of the amounts in `legs`. */
  readonly unit: number
}

function toEntry({ legs, unit, ...entry }: EntryRow): StoredEntry {
  const scale = 10n ** BigInt(18 - unit)
  return {
    ...entry,
    legs: legs.map(({ account, amount, party }) => ({
      account,
      amountAtto: atto(BigInt(amount) * scale),
      party,
    })),
  }
}
