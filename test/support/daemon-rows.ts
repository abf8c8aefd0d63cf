import type { Sql } from '../../shared/db/connect.ts'
import { insertDeliveries } from '../../shared/db/events/daemon/insert-deliveries.ts'
import { newId } from '../../shared/domain/ids.ts'

/** Appends an event, numbers it and sends the notification, as the sequencer does. */
export async function appendEvent(
  sql: Sql,
  event: {
    readonly type: string
    readonly category: string
    readonly organizationId?: string
    readonly chargeId?: string
    readonly environment?: string
    readonly data?: string
    readonly createdAt?: Date
  },
): Promise<number> {
  const seq = await sql.begin(async (db) => {
    const [counter] = await db<[{ lastSeq: number }]>`
      update event_sequence set last_seq = last_seq + 1 returning last_seq`
    await db`
      with inserted as (
        insert into events as e (id, seq, category, type, organization_id, environment, charge_id, data, created_at)
        values (${newId('evt', Date.now())}, ${counter.lastSeq}, ${event.category}, ${event.type},
          ${event.organizationId ?? null}, ${event.environment ?? 'live'}, ${event.chargeId ?? null},
          ${event.data ?? '{}'}, ${event.createdAt ?? new Date()})
        returning e as event)
      ${insertDeliveries(db)}`
    return counter.lastSeq
  })
  await sql`select pg_notify('svc_events', ${String(seq)})`
  return seq
}

/** Appends equal events with `bytes` bytes of padding each, and notifies once, as the sequencer does for one batch. */
export async function appendManyEvents(
  sql: Sql,
  event: {
    readonly type: string
    readonly category: string
    readonly organizationId: string
    readonly count: number
    readonly bytes: number
  },
): Promise<readonly number[]> {
  const { count, bytes } = event
  const numbered = await sql<{ seq: number }[]>`
    with counter as (update event_sequence set last_seq = last_seq + ${count} returning last_seq)
    insert into events (id, seq, category, type, organization_id, environment, data, created_at)
    select 'evt_many_' || seq, seq, ${event.category}, ${event.type}, ${event.organizationId}, 'live',
      json_build_object('padding', repeat('x', ${bytes}::int))::text, now()
    from counter, generate_series(last_seq - ${count} + 1, last_seq) seq
    returning seq`
  await sql`select pg_notify('svc_events', ${String(numbered.at(-1)?.seq)})`
  return numbered.map(({ seq }) => seq)
}

/** Moves a chain's head and sends the notification, as the chain feed does while transfers are pending. */
export async function setHead(sql: Sql, chainId: number, number: number): Promise<void> {
  await sql`update deployments set head_number = ${number}, max_head_at = now() where chain_id = ${chainId}`
  await sql`select pg_notify('svc_heads', ${String(chainId)})`
}

/** Inserts a transfer that was detected but not credited. */
export async function insertSeenTransfer(
  sql: Sql,
  transfer: {
    readonly chargeId: string
    readonly blockNumber: number
    readonly txHash: string
    /** 1 by default. */
    readonly dollars?: number
    /** Reason why the transfer is never credited. By default it is accepted. */
    readonly rejectionReason?: 'pair_not_accepted' | 'own_money'
  },
): Promise<void> {
  await sql`
    insert into transfers (charge_id, network, token, source, chain_id, token_address, tx_hash, ordinal, value_atomic,
      amount_atto, accepted, rejection_reason, inclusion, block_number)
    values (${transfer.chargeId}, 'base', 'USDC', 'contract_watcher', 8453,
      '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913', ${transfer.txHash}, 0, ${transfer.dollars ?? 1}::int * 1e6, ${transfer.dollars ?? 1}::int * 1e18, ${transfer.rejectionReason === undefined}, ${transfer.rejectionReason ?? null}, 'included',
      ${transfer.blockNumber})`
}

/** Inserts the ledger of a charge's pair USDC/base, and its payout, which by default anyone may distribute now. */
export async function insertPayout(
  sql: Sql,
  payout: { readonly chargeId: string; readonly creditedAtomic: string; readonly availableSince?: string },
): Promise<void> {
  await sql`
    insert into charge_ledgers (charge_id, network, token, chain_id, token_address, credited_atomic)
    select c.id, 'base', 'USDC', p.chain_id, p.token_address, ${payout.creditedAtomic}::numeric
    from charges c join pairs p on p.network = 'base' and p.token = 'USDC' and p.environment = c.environment
    where c.id = ${payout.chargeId}`
  await sql`
    insert into payouts (charge_id, network, token, chain_id, token_address, split_address, environment,
      organization_id, available_since, grace_ends_at, next_attempt_at)
    select l.charge_id, l.network, l.token, l.chain_id, l.token_address, c.split_address, c.environment,
      c.organization_id, coalesce(${payout.availableSince ?? null}::timestamptz, now()),
      now() + interval '5 minutes', now() + interval '5 minutes'
    from charge_ledgers l join charges c on c.id = l.charge_id
    where l.charge_id = ${payout.chargeId}`
}
