import type { Sql } from '../../shared/db/connect.ts'

/** Number of organizations. Charges are assigned to them round-robin. Each has a webhook for all events. */
const ORGANIZATIONS = 50

/** Creation time of the history's last charge. The charges are created one second apart. */
export const HISTORY_ENDS = '2026-11-01T00:00:00.000Z'

const BASE = 8453
const USDC = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913'

/**
 * Inserts charges of `ORGANIZATIONS` organizations, with no pending work. Of every 100 consecutive charges of an
 * organization, 60 expired and 40 were paid, credited, distributed by the service and settled. Each charge has two
 * delivered events.
 *
 * @param admin - the superuser's only connection; triggers and foreign keys are disabled on it, because with them the
 * inserts would take an hour
 */
export async function insertHistory(admin: Sql, charges: number): Promise<void> {
  await admin.unsafe('set statement_timeout = 0; set session_replication_role = replica')
  await admin`
    insert into organizations (id, name) select 'org_' || n, 'org_' || n from generate_series(0, ${ORGANIZATIONS - 1}::int) n
    on conflict do nothing`
  await admin`
    insert into webhooks (id, organization_id, url, events, event_categories, exclude_events, secret_sealed, secret_hint)
    select 'wh_' || n, 'org_' || n, 'https://example.com', '{*}', '{}', '{}', '', '' from generate_series(0, ${ORGANIZATIONS - 1}::int) n`
  await admin`
    insert into relayers (chain_id, address, next_nonce) values (${BASE}, ${RELAYER}, ${charges})`
  await admin`
    insert into charges (id, organization_id, environment, family, amount_micro, fee_payer, fee_percent,
      accepted_payments, accepted_chains, address, split_address, split_terms, split_recipients, request_hash,
      created_at, expires_at, last_activity_at, status, settlement_status, received_atto, on_time_atto, paid_with,
      confirmed_at, settled_at)
    select 'ch_' || lpad(n::text, 24, '0'), 'org_' || n % ${ORGANIZATIONS}::int, 'live', 'evm', 10000000, 'merchant', 1,
      '{USDC/base}', ${`{${BASE}}`}::bigint[], '0x' || address, '0x' || address, ${admin.json(TERMS)}, '[]', '',
      at, at + interval '1 hour', at, case when paid then 'confirmed' else 'expired' end,
      case when paid then 'completed' end, case when paid then 10000000000000000000 end,
      case when paid then 10000000000000000000 else 0 end, case when paid then '{USDC/base}'::text[] else '{}' end,
      case when paid then at end, case when paid then at end
    from generate_series(1, ${charges}::int) n,
      lateral (select ${HISTORY_ENDS}::timestamptz - make_interval(secs => ${charges}::int - n) as at,
        substr(md5(n::text) || md5((-n)::text), 1, 40) as address, n / ${ORGANIZATIONS}::int % 100 >= 60 as paid) drawn`
  for (const fill of PAID) await admin.unsafe(fill)
  await admin`
    insert into expiry_verifications (charge_id, chain_id, result, block_number, block_timestamp, checked_at, next_attempt_at)
    select id, ${BASE}, 'matched', 10, extract(epoch from expires_at), expires_at, expires_at
    from charges where status = 'expired'`
  await admin.unsafe(EVENTS)
  await admin.unsafe(DELIVERIES)
  await admin.unsafe('update event_sequence set last_seq = (select max(seq) from events)')
  await admin.unsafe('set session_replication_role = origin')
  await admin.unsafe('vacuum analyze')
}

const RELAYER = `0x${'9'.repeat(40)}`

/** Terms of a split with arbitrary recipients. */
const TERMS = {
  factory: `0x${'fa'.repeat(20)}`,
  recipients: [`0x${'a1'.repeat(20)}`, `0x${'77'.repeat(20)}`],
  allocations: [990_991, 9_009],
  totalAllocation: 1_000_000,
  distributionIncentive: 1_000,
}

/** Statements that insert each paid charge's transfer, ledger, payout, distribution, transaction and search rows. */
const PAID = [
  `insert into transfers (charge_id, network, token, source, chain_id, token_address, tx_hash, ordinal, value_atomic,
     amount_atto, accepted, inclusion, block_number, block_hash, block_timestamp, log_index, detected_at, credited_at,
     on_time, caused_transition)
   select id, 'base', 'USDC', 'contract_watcher', ${BASE}, '${USDC}', '0x' || md5(id) || md5(id), 0, 10000000,
     10000000000000000000, true, 'included', 10, '0x' || md5(id), extract(epoch from created_at), 0, created_at,
     created_at, true, true
   from charges where status = 'confirmed' order by id`,
  `insert into charge_ledgers (charge_id, network, token, chain_id, token_address, credited_atomic, settlement_atomic,
     distributed_atomic)
   select id, 'base', 'USDC', ${BASE}, '${USDC}', 10000000, 10000000, 10000000
   from charges where status = 'confirmed' order by id`,
  `insert into payouts (charge_id, network, token, chain_id, token_address, split_address, environment, organization_id,
     status, attempts, available_since, grace_ends_at, next_attempt_at, completed_at, tx_hash, created_at)
   select id, 'base', 'USDC', ${BASE}, '${USDC}', split_address, environment, organization_id, 'completed', 1,
     created_at, created_at, created_at, created_at, '0x' || md5('r' || id), created_at
   from charges where status = 'confirmed' order by id`,
  `insert into split_events (charge_id, kind, chain_id, token_address, tx_hash, ordinal, account, amount_atomic, inclusion,
     block_number, block_hash, block_timestamp, log_index, notified_at, applied_at)
   select charge_id, 'distributed', ${BASE}, '${USDC}', tx_hash, 0, '${RELAYER}', 10000000, 'included', 10,
     '0x' || md5(charge_id), extract(epoch from created_at), 1, created_at, created_at
   from payouts order by id`,
  `insert into relayer_transactions (tx_hash, chain_id, relayer, nonce, payout_id, raw_transaction, max_fee_per_gas,
     status, created_at, block_number)
   select tx_hash, ${BASE}, '${RELAYER}', id, id, '0x', 1, 'final', created_at, 10 from payouts order by id`,
  `insert into charges_by_paid_with (organization_id, environment, paid_with, status, is_overpaid, created_at, charge_id)
   select organization_id, environment, key, status, is_overpaid, created_at, id
   from charges, unnest(list_search_keys(paid_with)) key where status = 'confirmed'`,
]

const EVENTS = `
  insert into events (id, seq, category, type, organization_id, environment, charge_id, data, created_at)
  select 'evt_' || k || id, row_number() over (), 'payments', case k when 1 then 'charge.created' else 'charge.' || status end,
    organization_id, environment, id, '{"id":"' || id || '"}', created_at
  from charges, generate_series(1, 2) k`

const DELIVERIES = `
  insert into deliveries (webhook_id, event_number, charge_id, status, attempts, next_attempt_at, first_attempted_at,
    response_code, created_at, delivered_at)
  select 'wh_' || substr(organization_id, 5), number, charge_id, 'delivered', 1, null, created_at, 200, created_at, created_at
  from events where organization_id is not null`

/**
 * Inserts `count` items of each kind of pending work, next to any history: paid charges without credit, charges past
 * their deadline with and without expiry verification, and pending payouts, deliveries and events.
 *
 * @param admin - the superuser's only connection
 */
export async function insertDueWork(admin: Sql, count: number): Promise<void> {
  await admin.unsafe('set session_replication_role = replica')
  for (const kind of ['paid', 'over', 'unread', 'owed'])
    await admin`
      insert into charges (id, organization_id, environment, family, amount_micro, fee_payer, fee_percent,
        accepted_payments, accepted_chains, address, split_address, split_terms, split_recipients, request_hash,
        created_at, expires_at, last_activity_at, status, settlement_status, received_atto, on_time_atto, confirmed_at)
      select 'ch_z' || lpad(n::text, 22, '0') || ${kind}, 'org_' || n % ${ORGANIZATIONS}::int, 'live', 'evm', 10000000,
        'merchant', 1, '{USDC/base}', ${`{${BASE}}`}::bigint[], '0x' || address, '0x' || address, ${admin.json(TERMS)},
        '[]', '', now() - interval '1 day', now() + ${kind === 'paid' ? '1 day' : '-1 hour'}::interval, now(),
        ${kind === 'owed' ? 'confirmed' : 'pending'}, ${kind === 'owed' ? 'pending' : null},
        ${kind === 'owed' ? '10000000000000000000' : null}::numeric, ${kind === 'owed' ? '10000000000000000000' : '0'}::numeric,
        case when ${kind} = 'owed' then now() end
      from generate_series(1, ${count}::int) n, substr(md5(${kind} || n) || md5(n || ${kind}), 1, 40) address`
  for (const fill of DUE) await admin.unsafe(fill)
  await admin.unsafe('set session_replication_role = origin')
  await admin.unsafe('vacuum analyze')
}

const DUE = [
  `insert into transfers (charge_id, network, token, source, chain_id, token_address, tx_hash, ordinal, value_atomic,
     amount_atto, accepted, inclusion, block_number, block_hash, block_timestamp, log_index)
   select id, 'base', 'USDC', 'contract_watcher', ${BASE}, '${USDC}', '0x' || md5(id) || md5(id), 0, 10000000,
     10000000000000000000, true, 'included', 20, '0x' || md5(id), extract(epoch from now()), 0
   from charges where id like 'ch_z%paid'`,
  `insert into expiry_verifications (charge_id, chain_id, result, block_number, block_timestamp, checked_at, next_attempt_at)
   select id, ${BASE}, 'matched', 20, extract(epoch from now()), now(), now() from charges where id like 'ch_z%over'`,
  `insert into reconciliations (chain_id, scanned_block_number, next_attempt_at) values (${BASE}, 20, now())
   on conflict (chain_id) do update set scanned_block_number = greatest(reconciliations.scanned_block_number, 20)`,
  `insert into charge_ledgers (charge_id, network, token, chain_id, token_address, credited_atomic, settlement_atomic)
   select id, 'base', 'USDC', ${BASE}, '${USDC}', 10000000, 10000000 from charges where id like 'ch_z%owed'`,
  `insert into payouts (charge_id, network, token, chain_id, token_address, split_address, environment, organization_id,
     grace_ends_at, next_attempt_at)
   select id, 'base', 'USDC', ${BASE}, '${USDC}', split_address, environment, organization_id, now(), now()
   from charges where id like 'ch_z%owed'`,
  `insert into events (id, category, type, organization_id, environment, charge_id, data, created_at)
   select 'evt_' || id, 'payments', 'charge.created', organization_id, environment, id, '{}', now()
   from charges where id like 'ch_z%owed'`,
  `insert into deliveries (webhook_id, event_number, charge_id)
   select 'wh_' || substr(organization_id, 5), number, charge_id from events where seq is null`,
  `update deployments set confirmed_head_number = 89, confirmed_head_timestamp = extract(epoch from now()), head_timestamp = extract(epoch from now()),
     agreed_head_number = 89, agreed_head_hash = '0x89', agreed_head_timestamp = extract(epoch from now())
   where chain_id = ${BASE}`,
]
