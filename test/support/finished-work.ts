import type { Sql } from '../../shared/db/connect.ts'
import { insertDeliveries } from '../../shared/db/events/daemon/insert-deliveries.ts'
import type { Address } from '../../shared/domain/address.ts'
import { insertDeployments } from './api.ts'
import { insertManyCharges } from './many-charges.ts'

export const BASE = 8453
export const RELAYER = { chainId: BASE, relayer: `0x${'ee'.repeat(20)}` as Address }

/** An endpoint that receives every event. */
export const ENDPOINT = 'wh_one'

/** Tables that grow with the service's age and whose scans `listPlanProblems` examines. */
export const GROWING = [
  ...['charges', 'transfers', 'split_events', 'escrow_transfers', 'held_shares'],
  ...['payouts', 'relayer_transactions', 'events', 'deliveries', 'expiry_verifications'],
  'charge_comparisons',
]

/**
 * Inserts charges of every status without work to do: the deadlines of open charges are an hour away, every payment is
 * credited and paid out, and every event is delivered.
 */
export async function insertFinishedWork(sql: Sql, charges: number): Promise<void> {
  await insertDeployments(sql)
  await insertManyCharges(sql, charges)
  await sql`
    update charges set expires_at = now() + interval '1 hour' where status in ('pending', 'partially_paid')`
  await sql`
    update transfers set credited_at = now(), block_timestamp = 1, block_hash = '', agreed_at = now(),
      agreed_by = '{one,two}', corroborated_block_hash = ''`
  await sql`
    insert into expiry_verifications (charge_id, chain_id, result, block_number, block_timestamp, checked_at, next_attempt_at)
    select id, ${BASE}, 'matched', 1, 1, now(), now() from charges where status = 'expired'`
  await sql`
    insert into split_events (charge_id, kind, chain_id, token_address, tx_hash, ordinal, account, amount_atomic, inclusion,
      block_number, block_hash, block_timestamp, log_index, notified_at, applied_at, agreed_at, agreed_by,
      corroborated_block_hash)
    select charge_id, 'distributed', chain_id, token_address, tx_hash, n, '0x' || repeat('4e', 20), 1, 'included', 1, '',
      1, 0, now(), now(), now(), '{one,two}', ''
    from transfers, generate_series(1, 2) n`
  await sql`
    insert into escrow_transfers (charge_id, action, chain_id, token_address, tx_hash, ordinal, recipient, amount_atomic,
      inclusion, block_number, block_hash, block_timestamp, log_index, applied_at, agreed_at, agreed_by, corroborated_block_hash)
    select charge_id, 'release', chain_id, token_address, tx_hash, 1, '0x' || repeat('4e', 20), 1, 'included', 1, '', 1, 0,
      now(), now(), '{one,two}', '' from transfers`
  await sql`
    insert into charge_ledgers (charge_id, network, token, chain_id, token_address, credited_atomic, distributed_atomic)
    select charge_id, network, token, chain_id, token_address, 1, 1 from transfers`
  await sql`
    insert into payouts (charge_id, network, token, chain_id, token_address, split_address, environment, organization_id,
      status, grace_ends_at, next_attempt_at, processing_started_at, completed_at)
    select t.charge_id, t.network, t.token, t.chain_id, t.token_address, c.split_address, c.environment,
      c.organization_id, 'completed', now(), now(), now(), now()
    from transfers t join charges c on c.id = t.charge_id`
  await sql`insert into relayers values (${BASE}, ${RELAYER.relayer}, ${charges})`
  await sql`
    insert into relayer_transactions (tx_hash, chain_id, relayer, nonce, payout_id, raw_transaction, max_fee_per_gas, status)
    select '0x' || id, chain_id, ${RELAYER.relayer}, id, id, '0x', 1, 'final' from payouts`
  await sql`
    insert into held_shares (charge_id, chain_id, token_address, recipient, held_atomic, next_attempt_at)
    select charge_id, chain_id, token_address, '0x' || repeat('4e', 20), 0, now() from transfers`
  await sql`
    insert into webhooks (id, organization_id, url, events, event_categories, exclude_events, secret_sealed, secret_hint)
    values (${ENDPOINT}, 'org_0', 'https://example.com', '{*}', '{}', '{}', '', '')`
  await sql`
    with inserted as (
      insert into events as e (id, seq, category, type, organization_id, environment, charge_id, data, created_at)
      select 'evt_' || id, row_number() over (), 'payments', 'charge.created', organization_id, environment, id, '{}', now()
      from charges
      returning e as event)
    ${insertDeliveries(sql)}`
  await sql`
    update deliveries set status = 'delivered', delivered_at = now(), next_attempt_at = null, attempts = 1`
}
