import type { Address, Hex } from '../../../domain/address.ts'
import type { AtomicUnits } from '../../../domain/money.ts'
import type { Db } from '../../connect.ts'
import { type ChainTableRow, selectLedgerRows } from './inclusion.ts'

/** A split's event in the canonical chain, with the identity that survives a reorganization. */
export type ObservedSplitEvent = {
  readonly chargeId: string
  readonly kind: 'distributed' | 'held' | 'released'
  readonly chainId: number
  readonly tokenAddress: Address
  readonly txHash: Hex
  readonly ordinal: number
  /** The distributor, or the recipient whose payout was held or released. */
  readonly account: Address
  readonly amountAtomic: AtomicUnits
  readonly blockNumber: number
  readonly blockHash: Hex
  readonly blockTimestamp: number
  readonly logIndex: number
}

/** A stored split event. */
type LedgerSplitEvent = ChainTableRow & { readonly kind: 'distributed' | 'held' | 'released' }

/** Lists the split events of a chain, from a block on, that are present, missing or denied. */
export async function listLedgerSplitEvents(
  db: Db,
  range: { chainId: number; fromBlock: number },
): Promise<readonly LedgerSplitEvent[]> {
  return db<LedgerSplitEvent[]>`${selectLedgerRows(db, 'split_events', range)}`
}

/**
 * Records split events as present at their current position: new ones, and known ones that moved or came back.
 *
 * A distribution that is included again can have another amount, so its amount and account change until it is counted.
 * An event whose content or position changes loses its agreement and its mark of being at depth.
 */
export async function recordSplitEvents(
  db: Db,
  observed: readonly ObservedSplitEvent[],
  ponderSchema: string | null,
): Promise<void> {
  const rows = observed.map((row) => ({ ...row, amountAtomic: String(row.amountAtomic) }))
  await db`
    insert into split_events (charge_id, kind, chain_id, token_address, tx_hash, ordinal, account, amount_atomic,
      block_number, block_hash, block_timestamp, log_index, inclusion, ponder_schema)
    select r."chargeId", r.kind, r."chainId", r."tokenAddress", r."txHash", r.ordinal, r.account, r."amountAtomic",
      r."blockNumber", r."blockHash", r."blockTimestamp", r."logIndex", 'included', ${ponderSchema}
    from jsonb_to_recordset(${db.json(rows)}) as r ("chargeId" text, kind text, "chainId" int8, "tokenAddress" text,
      "txHash" text, ordinal int, account text, "amountAtomic" numeric, "blockNumber" int8, "blockHash" text,
      "blockTimestamp" int8, "logIndex" int)
    order by r."blockNumber", r."logIndex"
    on conflict (chain_id, tx_hash, token_address, charge_id, kind, ordinal) do update set
      inclusion = 'included', missing_since = null, ponder_schema = excluded.ponder_schema,
      block_number = excluded.block_number, block_hash = excluded.block_hash,
      block_timestamp = excluded.block_timestamp, log_index = excluded.log_index,
      (corroborated_block_hash, agreed_at, agreed_by) = (
        select split_events.corroborated_block_hash, split_events.agreed_at, split_events.agreed_by
        where (split_events.block_number, split_events.block_hash, split_events.block_timestamp, split_events.log_index,
            split_events.account, split_events.amount_atomic)
          is not distinct from (excluded.block_number, excluded.block_hash, excluded.block_timestamp, excluded.log_index,
            excluded.account, excluded.amount_atomic)),
      account = case when split_events.applied_at is null then excluded.account else split_events.account end,
      amount_atomic = case when split_events.applied_at is null
        then excluded.amount_atomic else split_events.amount_atomic end`
}

/** A distribution of one pair, by any distributor. */
export type KnownDistribution = {
  readonly distributorAddress: Address
  readonly txHash: Hex
  /** Whether the distribution is at depth and already deducted from the owed amount. */
  readonly isCounted: boolean
}

/** Finds the latest distribution, at any depth, of each payout's pair. The keys are payout ids. */
export async function findLatestDistributions(
  db: Db,
  payoutIds: readonly number[],
): Promise<ReadonlyMap<number, KnownDistribution>> {
  const rows = await db<(KnownDistribution & { readonly payoutId: number })[]>`
    select distinct on (p.id) p.id as payout_id, e.account as distributor_address, e.tx_hash,
      e.applied_at is not null as is_counted
    from payouts p
    join split_events e on e.charge_id = p.charge_id and e.chain_id = p.chain_id and e.token_address = p.token_address
    where p.id = any (${payoutIds}) and e.kind = 'distributed' and e.inclusion = 'included'
    order by p.id, e.block_number desc, e.log_index desc`
  return new Map(rows.map(({ payoutId, ...distribution }) => [payoutId, distribution]))
}
