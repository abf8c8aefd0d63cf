import type { Address, Hex } from '../../../domain/address.ts'
import type { TransactionSource } from '../../../domain/charge.ts'
import type { AttoDollars } from '../../../domain/money.ts'
import type { Network, Token } from '../../../domain/networks.ts'
import type { Tenant } from '../../../domain/tenant.ts'
import type { TransferRejectionReason } from '../../../domain/transfer.ts'
import type { Db } from '../../connect.ts'

/** A recipient's share that the split held back in a distribution (decisions 5.3). */
export type HeldShareEntry = {
  readonly address: Address
  /** 10^-18 dollars, as text. */
  readonly amountAtto: string
  /** ISO 8601; `null` while the split holds the share. */
  readonly releasedAt: string | null
}

/** Entry types of a refund, without `refund.`: an entry for each of its timestamps, and for each claim and decision. */
export const REFUND_TIMELINE_EVENTS = [
  ...(['declared', 'claimed', 'approved', 'rejected', 'seen'] as const),
  ...(['confirmed', 'canceled', 'expired'] as const),
] as const

/** One entry of a charge's timeline. `type` determines which columns are null. */
export type TimelineRow = {
  readonly at: Date
  readonly type:
    | 'charge.created'
    | 'charge.expired'
    | 'transaction.detected'
    | 'split.distributed'
    | RefundTimelineType
    | 'webhook.dispatched'
    | 'webhook.delivered'
    | 'webhook.failed'
  readonly token: Token | null
  readonly network: Network | null
  readonly txHash: Hex | null
  readonly amountAtto: AttoDollars | null
  readonly source: TransactionSource | null
  readonly causedTransition: boolean | null
  readonly creditedAt: Date | null
  /** Why a transfer will never be credited. */
  readonly rejectionReason: TransferRejectionReason | null
  readonly held: readonly HeldShareEntry[] | null
  /** `denied`: a quorum shows the block without this transfer or distribution. `struck`: an operator struck it. */
  readonly doubt: 'denied' | 'struck' | null
  readonly struckAt: Date | null
  readonly webhookId: string | null
  readonly deliveryId: string | null
  readonly refundId: string | null
}

/** Entry types of a refund. */
export type RefundTimelineType = `refund.${(typeof REFUND_TIMELINE_EVENTS)[number]}`

/**
 * Maximum entries of a timeline. The list has no pages (specification, "timeline"), and many tiny payments must not
 * fill the memory.
 */
export const MAX_TIMELINE_ENTRIES = 10_000

/**
 * Lists the timeline of a tenant's charge: its oldest 10,000 entries, oldest first. Empty if the tenant has no such
 * charge.
 *
 * Transfers appear as soon as they are detected, except uncredited orphaned transfers that no quorum denied. Transfers
 * that will never be credited have a reason. Transfers and distributions that a quorum denies or that were struck are
 * marked. Distributions appear once they are counted, at confirmation depth. Deliveries of the charge's own events
 * appear from their first attempt. Transfers on chains of the other environment are excluded, although the charge's
 * address is the same there (specification, "Conventions").
 */
export async function listTimeline(
  db: Db,
  { tenant, id }: { readonly tenant: Tenant; readonly id: string },
): Promise<readonly TimelineRow[]> {
  return db<TimelineRow[]>`
    with charge as (
      select id, environment from charges
      where id = ${id} and organization_id = ${tenant.organizationId} and environment = ${tenant.environment}),
    attempted as (
      select d.* from charge c
      join events e on e.charge_id = c.id and e.category = 'payments'
      join deliveries d on d.event_number = e.number and d.first_attempted_at is not null),
    happened as (
      select e.created_at as at, e.type, 0 as rank, e.number as number, null as token, null as network, null as tx_hash,
        null::numeric as amount_atto, null as source, null::boolean as caused_transition,
        null::timestamptz as credited_at, null as rejection_reason, null::json as held, null as webhook_id,
        null as delivery_id, null as doubt, null::timestamptz as struck_at, null as refund_id
      from charge c join events e on e.charge_id = c.id and e.type in ('charge.created', 'charge.expired')
      union all
      select t.detected_at, 'transaction.detected', 1, t.id, t.token, t.network, t.tx_hash, t.amount_atto, t.source,
        t.caused_transition, t.credited_at,
        case when not t.accepted then coalesce(t.rejection_reason, 'pair_not_accepted') end, null, null, null,
        ${doubtOf(db, 't')}, null, null
      from charge c join transfers t on t.charge_id = c.id
        and (t.inclusion <> 'orphaned' or t.credited_at is not null or t.denied_block_hash = t.block_hash)
        and (t.chain_id is null
          or t.chain_id in (select d.chain_id from deployments d where d.environment = c.environment))
      union all
      select s.applied_at, 'split.distributed', 2, s.id, p.token, p.network, s.tx_hash, ${inAtto(db, 's')}, null, null,
        null, null, ${heldOf(db)}, null, null, ${doubtOf(db, 's')}, null, null
      from charge c
      join split_events s on s.charge_id = c.id and s.kind = 'distributed' and s.applied_at is not null
        and s.amount_atomic > 0
      join pairs p on p.chain_id = s.chain_id and p.token_address = s.token_address
        and p.environment = c.environment
      union all
      select x.detected_at, 'transaction.detected', 1, x.row_id, x.token, x.network, x.tx_hash, x.amount_atto, x.source,
        x.caused_transition, x.counted_at, null, null, null, null, 'struck', x.struck_at, null
      from charge c join struck_rows x on x.charge_id = c.id and x.event = 'credited'
      union all
      select x.counted_at, 'split.distributed', 2, x.row_id, x.token, x.network, x.tx_hash, x.amount_atto, null, null,
        null, null, '[]', null, null, 'struck', x.struck_at, null
      from charge c join struck_rows x on x.charge_id = c.id and x.event = 'distributed' and x.amount_atomic > 0
      union all
      select a.first_attempted_at, 'webhook.dispatched', 3, a.id, null, null, null, null, null, null, null, null,
        null, a.webhook_id, a.public_id, null, null, null from attempted a
      union all
      select coalesce(a.delivered_at, a.failed_at), 'webhook.' || a.status, 4, a.id, null, null, null, null, null, null,
        null, null, null, a.webhook_id, a.public_id, null, null, null from attempted a where a.status <> 'pending'
      union all
      select v.at, 'refund.' || v.event, 5, v.rank, f.token, f.network,
        case when v.event in ('seen', 'confirmed') then f.tx_hash end,
        trunc(f.amount_atomic * 10::numeric ^ (18 - f.decimals)), null, null, null, null, null, null, null, null, null, f.id
      from charge c join refunds f on f.charge_id = c.id, lateral (
        values ('declared', f.created_at, 0), ('seen', f.seen_at, 3), ('confirmed', f.confirmed_at, 4),
          ('canceled', f.canceled_at, 5), ('expired', f.expired_at, 6)
        union all
        select x.event, x.at, x.rank from refund_claims k, lateral (
          values ('claimed', k.claimed_at, 1), (k.decision, k.decided_at, 2)) x (event, at, rank)
        where k.refund_id = f.id) v (event, at, rank)
      where v.at is not null)
    select at, type, token, network, tx_hash, amount_atto, source, caused_transition, credited_at, rejection_reason, held,
      webhook_id, delivery_id, doubt, struck_at, refund_id
    from happened order by at, rank, number limit ${MAX_TIMELINE_ENTRIES}`
}

/** Returns SQL for `denied` if a quorum shows the row's block without the row; otherwise null. */
function doubtOf(db: Db, alias: 't' | 's') {
  const row = db(alias)
  return db`case when ${row}.inclusion = 'orphaned' and ${row}.denied_block_hash = ${row}.block_hash then 'denied' end`
}

/** Returns SQL that converts an amount of the pair `p` to 10^-18 dollars. */
function inAtto(db: Db, alias: 's' | 'h') {
  return db`trunc(${db(alias)}.amount_atomic * 10::numeric ^ (18 - p.decimals))`
}

/**
 * Returns SQL for the shares that the distribution `s` held for recipients. The recipient's next release pays all their
 * held shares of the token.
 */
function heldOf(db: Db) {
  return db`(
    select json_agg(json_build_object('address', h.account, 'amountAtto', ${inAtto(db, 'h')}::text, 'releasedAt', (
      select to_char(min(r.applied_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') from split_events r
      where r.charge_id = h.charge_id and r.chain_id = h.chain_id and r.token_address = h.token_address
        and r.account = h.account and r.kind = 'released' and r.applied_at is not null
        and (r.block_number, r.log_index) > (h.block_number, h.log_index))) order by h.log_index)
    from split_events h
    where h.charge_id = s.charge_id and h.chain_id = s.chain_id and h.token_address = s.token_address
      and h.tx_hash = s.tx_hash and h.kind = 'held' and h.applied_at is not null)`
}
