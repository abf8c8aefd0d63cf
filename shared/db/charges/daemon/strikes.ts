import type { Address, Hex } from '../../../domain/address.ts'
import type { AtomicUnits, AttoDollars } from '../../../domain/money.ts'
import type { Pair, PairContract } from '../../../domain/networks.ts'
import type { ChainRow } from '../../chain-facts/daemon/chain-rows.ts'
import type { ChainTable } from '../../chain-facts/daemon/chain-tables.ts'
import type { Db } from '../../connect.ts'
import type { ChargeRow } from '../charge-row.ts'

/** Kinds of rows that can be struck, and their tables. Operators name a row by kind and id, such as `transfer:12`. */
export const STRIKE_TABLES = {
  transfer: 'transfers',
  'split-event': 'split_events',
  'escrow-transfer': 'escrow_transfers',
} as const satisfies Readonly<Record<string, ChainTable>>

export type StrikeKind = keyof typeof STRIKE_TABLES

/** The row that a strike order names. */
export type StrikeTarget = { readonly kind: StrikeKind; readonly rowId: number }

export type StrikeResult = {
  readonly kind: StrikeKind
  readonly rowId: number
  /** `null` while the order is pending. */
  readonly outcome: 'struck' | 'refused' | null
  /** Why the row was not struck. */
  readonly answer: string | null
}

/**
 * Records an operator's orders to strike counted rows. A row that already has a pending order keeps that order.
 *
 * @returns the pending order of each row; rows that do not exist or are not counted are missing
 */
export async function insertStrikes(
  db: Db,
  { targets, reason }: { readonly targets: readonly StrikeTarget[]; readonly reason: string },
): Promise<readonly (StrikeTarget & { readonly orderId: number })[]> {
  const wanted = db`
    unnest(${targets.map(({ kind }) => kind)}::text[], ${targets.map(({ rowId }) => rowId)}::int8[]) as w (kind, row_id)`
  // One statement, because between two statements the daemon could decide an order before it is read.
  return db<(StrikeTarget & { orderId: number })[]>`
    with wanted as (select * from ${wanted}), inserted as (
      insert into strike_orders (kind, row_id, charge_id, chain_id, reason)
      select w.kind, w.row_id, r.charge_id, r.chain_id, ${reason}
      from wanted w join (${countedRows(db)}) r on r.kind = w.kind and r.id = w.row_id
      on conflict (chain_id, kind, row_id) where decided_at is null do nothing
      returning kind, row_id, id)
    select kind, row_id, id as order_id from inserted
    union all
    select o.kind, o.row_id, o.id from strike_orders o join wanted w on w.kind = o.kind and w.row_id = o.row_id
    where o.decided_at is null
    order by order_id`
}

/** Selects the counted rows. Excludes sandbox credits, which no node can deny, because they are on no chain. */
function countedRows(db: Db) {
  return db`
    select 'transfer' as kind, id, charge_id, chain_id from transfers
    where credited_at is not null and chain_id is not null
    union all
    select 'split-event', id, charge_id, chain_id from split_events where applied_at is not null
    union all
    select 'escrow-transfer', id, charge_id, chain_id from escrow_transfers where applied_at is not null`
}

export async function listStrikeResults(
  db: Db,
  orderIds: readonly number[],
): Promise<readonly StrikeResult[]> {
  return db<StrikeResult[]>`
    select kind, row_id, outcome, answer from strike_orders where id = any (${orderIds}) order by id`
}

/** A pending strike order. */
export type StrikeOrder = StrikeTarget & {
  readonly id: number
  readonly chargeId: string
  readonly chainId: number
  readonly reason: string
  readonly orderedBy: string
  /** `null` if the row does not exist or is not counted. */
  readonly row: CountedRow | null
}

export type CountedRow = Pick<
  ChainRow,
  'txHash' | 'blockNumber' | 'tokenAddress' | 'ordinal' | 'amountAtomic'
> & {
  /** Empty unless the row is a split event. */
  readonly event: string
  readonly party: string
}

export async function listPendingStrikes(
  db: Db,
  { chainId, limit }: { readonly chainId: number; readonly limit: number },
): Promise<readonly StrikeOrder[]> {
  const rows = await db<(Omit<StrikeOrder, 'row'> & { [key in keyof CountedRow]: CountedRow[key] | null })[]>`
    select o.id, o.kind, o.row_id, o.charge_id, o.chain_id, o.reason, o.ordered_by,
      coalesce(t.tx_hash, e.tx_hash, m.tx_hash) as tx_hash,
      coalesce(t.block_number, e.block_number, m.block_number) as block_number,
      coalesce(t.token_address, e.token_address, m.token_address) as token_address,
      coalesce(t.ordinal, e.ordinal, m.ordinal) as ordinal, coalesce(e.kind, '') as event,
      coalesce(t.sender, e.account, m.recipient, '') as party,
      coalesce(t.value_atomic, e.amount_atomic, m.amount_atomic) as amount_atomic
    from strike_orders o
    left join transfers t on o.kind = 'transfer' and t.id = o.row_id and t.credited_at is not null
    left join split_events e on o.kind = 'split-event' and e.id = o.row_id and e.applied_at is not null
    left join escrow_transfers m on o.kind = 'escrow-transfer' and m.id = o.row_id and m.applied_at is not null
    where o.chain_id = ${chainId} and o.decided_at is null order by o.id limit ${limit}`
  return rows.map(({ txHash, blockNumber, tokenAddress, ordinal, event, party, amountAtomic, ...order }) => ({
    ...order,
    row:
      txHash === null
        ? null
        : ({ txHash, blockNumber, tokenAddress, ordinal, event, party, amountAtomic } as CountedRow),
  }))
}

const MAX_ANSWER = 2_000

/** Records that an order was rejected, and why. The operator may order the strike again. */
export async function rejectStrike(db: Db, order: { readonly id: number; readonly answer: string }) {
  await db`
    update strike_orders set decided_at = now(), outcome = 'refused', answer = ${order.answer.slice(0, MAX_ANSWER)}
    where id = ${order.id} and decided_at is null`
}

/** A counted row that was struck. */
export type StruckRow = StrikeTarget &
  Pair & {
    readonly chargeId: string
    readonly chainId: number
    readonly tokenAddress: Address
    readonly txHash: Hex
    /** `credited` for a transfer, the kind of a split event, or the action of an escrow transfer. */
    readonly event: 'credited' | 'distributed' | 'held' | 'released' | 'release' | 'refund'
    readonly party: Address
    readonly amountAtomic: AtomicUnits
    readonly amountAtto: AttoDollars
    readonly onTime: boolean | null
    readonly countedAt: Date
    readonly struckAt: Date
  }

/**
 * Moves the row of a pending order from its table to `struck_rows`. The caller must hold the charge's lock and
 * recompute the charge in the same transaction.
 *
 * @returns the struck row; `null` if the order is already decided, or the row is no longer counted
 */
export async function strikeRow(db: Db, orderId: number, at: Date): Promise<StruckRow | null> {
  const [row] = await db<StruckRow[]>`
    select kind, row_id, charge_id, chain_id, network, token, token_address, tx_hash, event, party, amount_atomic,
      amount_atto, on_time, counted_at, struck_at
    from strike_row_at(${orderId}, ${at})`
  return row ?? null
}

/**
 * Returns the sum of a pair's credits that can be part of the settling amount. If the charge expired, these are all
 * credits; otherwise the credits that were paid on time and counted by the time of confirmation.
 */
export async function sumSettlingCredits(
  db: Db,
  charge: Pick<ChargeRow, 'id' | 'status' | 'confirmedAt'>,
  { chainId, tokenAddress }: PairContract,
): Promise<AttoDollars> {
  const [row] = await db<[{ amountAtto: AttoDollars }]>`
    select coalesce(sum(amount_atto), 0) as amount_atto from transfers
    where charge_id = ${charge.id} and chain_id = ${chainId} and token_address = ${tokenAddress}
      and credited_at is not null and (${charge.status} = 'expired'
        or on_time and credited_at <= coalesce(${charge.confirmedAt}::timestamptz, 'infinity'))`
  return row.amountAtto
}

/** Removes from `paid_with` the pairs that no longer have a credit. */
export async function updatePaidWith(db: Db, chargeId: string): Promise<void> {
  await db`
    update charges c set paid_with = array(
      select p.pair from unnest(c.paid_with) with ordinality as p (pair, at)
      where exists (
        select from transfers t where t.charge_id = c.id and t.credited_at is not null
          and t.token || '/' || t.network = p.pair)
      order by p.at)
    where c.id = ${chargeId}`
}

export async function hasPayouts(db: Db, chargeId: string): Promise<boolean> {
  const rows = await db`select from payouts where charge_id = ${chargeId} limit 1`
  return rows.length > 0
}

/** Returns the number of counted rows that a quorum denies. Each awaits an operator's strike order. */
export async function countDeniedRows(db: Db): Promise<number> {
  const denied = db`denied_block_hash = block_hash and inclusion = 'orphaned'`
  const [row] = await db<[{ denied: number }]>`
    select ((select count(*) from transfers where ${denied} and credited_at is not null)
      + (select count(*) from split_events where ${denied} and applied_at is not null)
      + (select count(*) from escrow_transfers where ${denied} and applied_at is not null))::int as denied`
  return row.denied
}

/** Returns those of these transactions of a chain from which a row was struck. */
export async function listStruckTransactions(
  db: Db,
  { chainId, txHashes }: { readonly chainId: number; readonly txHashes: readonly Hex[] },
): Promise<ReadonlySet<Hex>> {
  const rows = await db<{ txHash: Hex }[]>`
    select distinct tx_hash from struck_rows where chain_id = ${chainId} and tx_hash = any (${txHashes})`
  return new Set(rows.map(({ txHash }) => txHash))
}
