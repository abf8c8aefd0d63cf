import { type AccountingEntry, type Leg } from '../../../domain/accounting/entry.ts'
import type { Db } from '../../connect.ts'

/** Inserts entries of charges that the caller has locked. Skips entries that already exist. */
export async function insertEntries(db: Db, entries: readonly AccountingEntry[]): Promise<void> {
  if (entries.length === 0) return
  await db`
    insert into accounting_entries (entry_id, organization_id, environment, charge_id, category, corrects, network, token,
      chain_id, token_address, tx_hash, block_number, decimals, legs, posted_at, counted_at)
    select e."entryId", c.organization_id, c.environment, c.id, e.category, e.corrects, e.network, e.token, e."chainId",
      e."tokenAddress", e."txHash", e."blockNumber", e.decimals, e.legs, e."postedAt", e."countedAt"
    from jsonb_to_recordset(${db.json(entries.map(toRow) as never)}) as e ("entryId" text, "chargeId" text, category text,
      corrects text, network text, token text, "chainId" int8, "tokenAddress" text, "txHash" text, "blockNumber" int8,
      decimals smallint, legs jsonb, "postedAt" timestamptz, "countedAt" timestamptz)
    join charges c on c.id = e."chargeId"
    on conflict (entry_id) do nothing`
}

/**
 * Stores amounts in the token's decimals, or in 18 decimals if an amount is not a whole number of the token's units.
 */
function toRow({ legs, ...entry }: AccountingEntry) {
  const unit = 10n ** BigInt(18 - entry.decimals)
  const isWhole = legs.every(({ amountAtto }) => amountAtto % unit === 0n)
  const toText = ({ amountAtto }: Leg) => String(isWhole ? amountAtto / unit : amountAtto)
  return {
    ...entry,
    decimals: isWhole ? entry.decimals : 18,
    legs: legs.map((leg) => ({ account: leg.account, amount: toText(leg), party: leg.party })),
  }
}
