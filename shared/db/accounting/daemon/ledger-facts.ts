import type { LedgerFact } from '../../../domain/accounting/ledger-fact.ts'
import type { Db } from '../../connect.ts'
import type { CountedRows } from '../../counted-rows.ts'

/** Ids of the rows that one turn counted, including refunds that the merchant paid. */
export type Counted = CountedRows & { readonly refunds?: readonly string[] }

/** Selects facts of charges: those that one turn counted, the row that an order struck, or all facts. */
export type FactSelection = { readonly chargeIds: readonly string[] } & (
  | { readonly counted: Counted }
  | { readonly strikeOrderId: number }
  | { readonly isComplete: true }
)

/**
 * Lists the counted rows of charges in the order in which they were mined. A struck row is listed only as its strike.
 *
 * Within one block, credits come first, then transfers out of the Safe, then the events of the split, then refunds. The
 * order is total, so that deriving the books again results in the same entries. The order includes the kind, because
 * rows of different tables can have equal ids.
 */
export async function listLedgerFacts(db: Db, selection: FactSelection): Promise<readonly LedgerFact[]> {
  const { chargeIds } = selection
  const counted = listCounted(db, selection)
  const struck = listStruck(db, selection)
  const rows =
    'strikeOrderId' in selection
      ? struck
      : 'counted' in selection
        ? counted
        : db`${counted} union all ${struck}`
  return db<LedgerFact[]>`
    select r.charge_id, r.event, r.network, r.token, r.chain_id, r.token_address, r.decimals, r.tx_hash, r.ordinal,
      r.request_id, r.party, r.amount_atto, r.block_number, r.mined_at, r.counted_at, r.struck_at,
      (select count(*)::int from struck_rows s
       where s.chain_id = r.chain_id and s.tx_hash = r.tx_hash and s.token_address = r.token_address
         and s.charge_id = r.charge_id and s.kind = r.kind and s.ordinal = r.ordinal
         and (s.kind <> 'split-event' or s.event = r.event) and (r.order_id is null or s.order_id < r.order_id)) as strikes
    from (${rows}) r
    where r.charge_id = any (${chargeIds})
    order by r.mined_at, array_position(array['transfer', 'escrow-transfer', 'split-event', 'refund'], r.kind), r.row_id, r.order_id`
}

function listCounted(db: Db, selection: FactSelection) {
  const { chargeIds } = selection
  // Selects the rows of a turn by id, because a turn must not read all earlier rows of its charge again.
  const among = (alias: 't' | 'e' | 'm', table: keyof CountedRows) =>
    'counted' in selection
      ? db`${db(alias)}.id = any (${selection.counted[table]}::int8[])`
      : db`${db(alias)}.charge_id = any (${chargeIds})`
  const refunds =
    'counted' in selection
      ? db`f.id = any (${[...(selection.counted.refunds ?? [])]}::text[])`
      : db`f.charge_id = any (${chargeIds})`
  return db`
    select t.id as row_id, null::int8 as order_id, 'transfer' as kind, t.charge_id, 'credited' as event, t.network, t.token,
      t.chain_id, t.token_address, coalesce(p.decimals, 18) as decimals, t.tx_hash, t.ordinal, t.request_id,
      t.sender as party, t.amount_atto, t.block_number,
      coalesce(to_timestamp(t.block_timestamp), t.credited_at) as mined_at, t.credited_at as counted_at,
      null::timestamptz as struck_at
    from transfers t join charges c on c.id = t.charge_id
    left join pairs p on p.network = t.network and p.token = t.token and p.environment = c.environment
    where ${among('t', 'transfers')} and t.credited_at is not null
    union all
    select e.id, null, 'split-event', e.charge_id, e.kind, p.network, p.token, e.chain_id, e.token_address, p.decimals,
      e.tx_hash, e.ordinal, null, e.account, trunc(e.amount_atomic * 10::numeric ^ (18 - p.decimals)), e.block_number,
      to_timestamp(e.block_timestamp), e.applied_at, null
    from split_events e join charges c on c.id = e.charge_id join pairs p on ${isPairOf(db, 'e')}
    where ${among('e', 'splitEvents')} and e.applied_at is not null
    union all
    select m.id, null, 'escrow-transfer', m.charge_id, 'moved', p.network, p.token, m.chain_id, m.token_address, p.decimals,
      m.tx_hash, m.ordinal, null, m.recipient, trunc(m.amount_atomic * 10::numeric ^ (18 - p.decimals)) + m.dust_atto,
      m.block_number, to_timestamp(m.block_timestamp), m.applied_at, null
    from escrow_transfers m join charges c on c.id = m.charge_id join pairs p on ${isPairOf(db, 'm')}
    where ${among('m', 'escrowTransfers')} and m.applied_at is not null
    union all
    select row_number() over (order by f.id), null, 'refund', f.charge_id, 'refunded', f.network, f.token, f.chain_id,
      f.token_address, f.decimals, f.tx_hash, f.ordinal, f.id, f.destination,
      trunc(f.counted_atomic * 10::numeric ^ (18 - f.decimals)), f.block_number,
      coalesce(to_timestamp(f.block_timestamp), f.confirmed_at), f.confirmed_at, null
    from refunds f where ${refunds} and f.confirmed_at is not null`
}

function listStruck(db: Db, selection: FactSelection) {
  const ofOrder = 'strikeOrderId' in selection ? db`and s.order_id = ${selection.strikeOrderId}` : db``
  return db`
    select s.row_id, s.order_id, s.kind, s.charge_id,
      case s.kind when 'escrow-transfer' then 'moved' else s.event end as event, s.network, s.token, s.chain_id,
      s.token_address, p.decimals, s.tx_hash, s.ordinal, null as request_id, nullif(s.party, '') as party, s.amount_atto,
      s.block_number, to_timestamp(s.block_timestamp) as mined_at, s.counted_at, s.struck_at
    from struck_rows s join charges c on c.id = s.charge_id join pairs p on ${isPairOf(db, 's')}
    where s.charge_id = any (${selection.chargeIds}) ${ofOrder}`
}

/**
 * Selects only pairs that the charge accepts. Money in another token, or of the other environment at the same address,
 * was never credited, so the books do not contain it (decisions 5.6).
 */
function isPairOf(db: Db, alias: 'e' | 'm' | 's') {
  const row = db(alias)
  return db`p.chain_id = ${row}.chain_id and p.token_address = ${row}.token_address and p.environment = c.environment
    and p.token || '/' || p.network = any (c.accepted_payments)`
}
