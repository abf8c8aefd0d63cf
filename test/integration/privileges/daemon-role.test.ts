import { expect } from 'chai'
import { errorCode, type Sql } from '../../../shared/db/connect.ts'
import { connectForTest, createTestDatabase, type TestDatabase } from '../../support/postgres.ts'

/** PostgreSQL's error code for missing privileges, which it checks before it reads any row. */
const INSUFFICIENT_PRIVILEGE = '42501'

/** The only columns of existing rows that the daemon may update. */
const MOVES: Readonly<Record<string, readonly string[]>> = {
  authorizations: [
    ...[
      'ended_at',
      'gas_limit',
      'last_checked_at',
      'last_checked_transaction',
      'relayer',
      'relayer_nonce',
      'status',
    ],
    'tx_hash',
  ],
  expiry_verifications: [
    ...['account', 'block_number', 'block_timestamp', 'checked_at', 'expected_atomic', 'found_atomic'],
    ...['next_attempt_at', 'result', 'searched_at', 'token_address'],
  ],
  charge_ledgers: [
    ...['credited_atomic', 'credited_dust_atto', 'distributed_atomic', 'withdrawn_atomic'],
    ...['withdrawn_dust_atto', 'merchant_held_atomic', 'released_atomic', 'released_dust_atto'],
    ...['settlement_atomic', 'settlement_dust_atto'],
  ],
  charge_comparisons: [
    ...['batch_id', 'begun_at', 'compared_at', 'compared_number', 'difference', 'due_at', 'failures'],
    ...['known_difference', 'next_at', 'searched_number', 'span', 'strays', 'target_number', 'unread_number'],
  ],
  charges: [
    ...['confirmed_at', 'escrow_refunded_at', 'escrow_released_at', 'last_activity_at', 'on_time_atto'],
    ...[
      'overpaid_announced',
      'paid_with',
      'quarantined_at',
      'quarantined_by_build',
      'received_atto',
      'settled_at',
      'settlement_status',
      'status',
    ],
  ],
  deliveries: [
    ...['attempts', 'cycle_attempts', 'cycle_started_at', 'delivered_at', 'failed_at', 'first_attempted_at'],
    ...['last_error', 'leased_until', 'next_attempt_at', 'response_code', 'response_excerpt', 'status'],
  ],
  deployments: [
    ...['agreed_head_hash', 'agreed_head_number', 'agreed_head_timestamp'],
    ...[
      'block_time_ms',
      'confirmations',
      'contracts_match',
      'confirmed_head_number',
      'confirmed_head_timestamp',
    ],
    ...['feed_ahead_since', 'repair_count', 'watermark_number', 'head_number', 'head_timestamp'],
    ...[
      'max_head_number',
      'max_head_at',
      'repair_from_block',
      'repair_requested_at',
      'owner_epoch',
      'ponder_schema',
    ],
    ...['idle_at', 'quorum', 'quorum_responded_at', 'watermark_version'],
    ...['asleep_since', 'sleep_head_number', 'wake_requested_at', 'watched_at'],
  ],
  endpoint_attempts: ['failed', 'finished'],
  endpoint_health: ['failure_level', 'is_failing', 'recovery_notice'],
  escrow_end_checks: [
    ...['block_number', 'checked_at', 'expected_atomic', 'found_atomic', 'next_at', 'result'],
    'token_address',
  ],
  escrow_transfers: [
    ...['action', 'agreed_at', 'agreed_by', 'amount_atomic', 'applied_at', 'block_hash', 'block_number'],
    ...[
      'block_timestamp',
      'corroborated_block_hash',
      'denied_block_hash',
      'dust_atto',
      'checked_at',
      'log_index',
    ],
    ...['missing_since', 'ponder_schema'],
    ...['inclusion', 'recipient'],
  ],
  escrow_orders: ['status'],
  event_sequence: ['last_seq'],
  events: ['seq'],
  feeds: ['created_at', 'retired_at'],
  held_shares: ['held_atomic', 'last_error', 'next_attempt_at'],
  pairs: ['enabled'],
  paying_accounts: ['seen_at'],
  payouts: [
    ...['attempts', 'available_since', 'completed_at', 'distributor_address', 'grace_ends_at', 'held_since'],
    ...['last_error', 'leased_until', 'next_attempt_at', 'processing_started_at', 'status', 'tx_hash'],
  ],
  reconciliations: ['enrolled_at', 'enrolled_id', 'next_attempt_at', 'scanned_block_number'],
  relayer_transactions: [
    'block_number',
    'created_at',
    'examined_at',
    'last_broadcast_at',
    'rejected_since',
    'status',
  ],
  receipt_proofs: [
    ...['attempts', 'due_at', 'finished_at', 'first_log_index', 'proof', 'reason', 'transaction_index'],
  ],
  refund_claims: ['decided_at', 'decision'],
  refunds: [
    // A trigger allows only one write of the destination (test/integration/refunds/claims.test.ts).
    ...['after_block', 'claim_hash', 'destination'],
    ...['agreed_by', 'block_hash', 'block_number', 'block_timestamp', 'canceled_at', 'confirmed_at'],
    ...[
      'counted_atomic',
      'expired_at',
      'missing_since',
      'ordinal',
      'reread_block',
      'reread_until',
      'scanned_block',
    ],
    ...['seen_at', 'status', 'tx_hash', 'verify_at'],
  ],
  relayers: ['next_nonce'],
  requests: ['consumed_at', 'last_checked_at', 'responded_at', 'response'],
  signable_pairs: ['daily_gas_limit', 'domain_name', 'domain_version', 'minimum_micro', 'refreshed_at'],
  split_events: [
    ...['account', 'agreed_at', 'agreed_by', 'amount_atomic', 'notified_at', 'applied_at', 'block_hash'],
    ...[
      'block_number',
      'block_timestamp',
      'corroborated_block_hash',
      'denied_block_hash',
      'checked_at',
      'log_index',
    ],
    ...['missing_since', 'ponder_schema', 'inclusion'],
  ],
  strike_orders: ['answer', 'decided_at', 'outcome'],
  transfers: [
    ...['accepted', 'agreed_at', 'agreed_by', 'amount_atto', 'block_hash', 'block_number'],
    ...[
      'block_timestamp',
      'caused_transition',
      'credited_at',
      'corroborated_block_hash',
      'denied_block_hash',
    ],
    ...['checked_at', 'log_index', 'missing_since', 'on_time'],
    ...['ponder_schema', 'inclusion', 'rejection_reason', 'sender', 'value_atomic'],
  ],
}

/** The only tables into which the daemon may insert rows. */
const MAKES = [
  ...[
    'accounting_entries',
    'authorizations',
    'expiry_verifications',
    'charge_comparisons',
    'charge_ledgers',
    'deliveries',
    'deployments',
    'endpoint_attempts',
    'endpoint_health',
  ],
  ...['escrow_end_checks', 'escrow_transfers', 'escrow_orders', 'events', 'feeds', 'held_shares', 'pairs'],
  'paying_accounts',
  'payouts',
  'receipt_proofs',
  ...['reconciliations', 'relayer_transactions', 'relayers', 'service_terms', 'dead_letter_logs'],
  ...['refund_claims', 'refunds', 'signable_pairs'],
  ...['split_events', 'trusted_factories', 'transfers'],
]

/** The only tables from which the daemon may delete rows. */
const FORGETS = [
  'expiry_verifications',
  'chain_heads',
  'deliveries',
  'endpoint_attempts',
  'escrow_end_checks',
  'rate_limits',
  'requests',
  'signable_pairs',
]

/** Attempts of an adversary with the daemon's role, for example to be paid. All must be rejected. */
const ATTEMPTS: readonly (readonly [title: string, statement: string])[] = [
  ['another split for a charge', `update charges set split_address = '0x'`],
  ['other recipients or shares, or another factory', `update charges set split_terms = '{}'`],
  ['other displayed recipients', `update charges set split_recipients = '[]'`],
  ['another fee of a charge', 'update charges set fee_percent = 99'],
  ['another surcharge of an escrow', 'update charges set escrow_fee_percent = 99'],
  ['a lower amount due', 'update charges set amount_micro = 1'],
  ['another payment address', `update charges set address = '0x'`],
  ['another id, from which the salt is derived', `update charges set id = 'ch_other'`],
  ['another releaser of an escrow', `update charges set escrow_releaser = '0x'`],
  ['other accepted tokens or chains', `update charges set accepted_payments = '{}', accepted_chains = '{}'`],
  ['another deadline', 'update charges set expires_at = now()'],
  ['a simulated live charge', 'update charges set is_simulated = true'],
  ['another organization’s charge', `update charges set organization_id = 'org_two', api_key_id = 'key_two'`],
  ['a charge without a request', 'insert into charges default values'],
  ['the deletion of a charge', 'delete from charges'],
  ['another fee of an organization', 'update organizations set fee_percent = 99'],
  ['another surcharge of an organization', 'update organizations set escrow_fee_percent = 99'],
  ['another past fee', 'insert into organization_fees default values'],
  ['another payout address of a key', `update api_keys set payout_address = '0x'`],
  ['a key', 'insert into api_keys default values'],
  ['the hashes by which keys authenticate', 'select key_hash from api_keys'],
  ['another recipient', `update recipients set address = '0x'`],
  ['an additional recipient', 'insert into recipients default values'],
  ['a payout of another split', `update payouts set split_address = '0x'`],
  ['a payout of another token', `update payouts set token_address = '0x', chain_id = 1`],
  ['a payout of another charge', `update payouts set charge_id = 'ch_other'`],
  ['a ledger in another token', `update charge_ledgers set token_address = '0x', chain_id = 1`],
  ['a payment of another charge', `update transfers set charge_id = 'ch_other'`],
  ['a payment of another transaction', `update transfers set tx_hash = '0x', ordinal = 0, chain_id = 1`],
  ['a payment in another token', `update transfers set token = 'USDC', token_address = '0x'`],
  ['marking a payment as simulated', `update transfers set source = 'sandbox', request_id = 'req'`],
  ['the deletion of a payment', 'delete from transfers'],
  ['a proof of another transaction', `update receipt_proofs set tx_hash = '0x', block_hash = '0x'`],
  ['the deletion of a proof', 'delete from receipt_proofs'],
  ['other signed bytes', `update relayer_transactions set raw_transaction = '0x', tx_hash = '0x'`],
  ['another nonce for a signed transaction', 'update relayer_transactions set nonce = 0'],
  ['different content for a signed order', `update escrow_orders set destination = '0x', amount_atomic = 1`],
  [
    'different content for a signed payment',
    `update authorizations set charge_id = 'ch_other', value_atomic = 1`,
  ],
  ['another payer or nonce of a signature', `update authorizations set payer = '0x', nonce = '0x'`],
  ['the deletion of an accepted signature', 'delete from authorizations'],
  ['resuming a paused pair', 'update pairs set paused_at = null'],
  ['another contract of a token', `update pairs set token_address = '0x', decimals = 0`],
  ['abandoning a network', 'update deployments set abandoned_at = now()'],
  ['a network of another environment', `update deployments set environment = 'live'`],
  ['an invented head', 'insert into chain_heads default values'],
  ['another amount in an accounting entry', `update accounting_entries set legs = '[]'`],
  ['the deletion of an accounting entry', 'delete from accounting_entries'],
  ['other accounting balances', `update accounting_balances set balances = '{}'`],
  ['another refund address of a payer', `update refund_claims set destination = '0x'`],
  ['the deletion of a payer’s refund address', 'delete from refund_claims'],
  ['a refund of another amount or wallet', `update refunds set amount_atomic = 1, sender = '0x'`],
  ['the deletion of a refund', 'delete from refunds'],
  ['another text of an event', `update events set data = '{}'`],
  ['the deletion of an event', 'delete from events'],
  ['another target of a webhook', `update webhooks set url = 'https://example.com'`],
  ['another secret of a webhook', `update webhooks set secret_sealed = ''`],
  ['different content for a request', `update requests set payload = '{}', charge_id = null`],
  ['a request of its own', 'insert into requests default values'],
  ['an operator’s order that a charge may expire', 'insert into expiry_overrides default values'],
  ['an operator’s order to strike a row', 'insert into strike_orders default values'],
  ['a struck row without an order', 'insert into struck_rows default values'],
  ['an operator’s order to trust a single node', 'insert into node_trusts default values'],
  ['a longer order to trust a single node', `update node_trusts set ends_at = 'infinity'`],
  ['another treasury in the recorded terms', `update service_terms set treasury = '0x'`],
  ['another fee in the recorded terms', 'update service_terms set fee_percent = 99'],
  ['the removal of a migration’s checksum', 'update schema_migrations set checksum = null'],
  ['a new table in our schema', 'create table public.mine (id int)'],
]

describe('the daemon’s role', () => {
  let database: TestDatabase
  let daemon: Sql

  before(async () => {
    database = await createTestDatabase()
    daemon = connectForTest(database.url.daemon)
  })
  after(async () => {
    await daemon.end()
    await database.drop()
  })

  it('updates only the changeable columns of existing rows, and no terms of charges', async () => {
    const rows = await database.sql<{ table: string; columns: string[] }[]>`
      select table_name as table, array_agg(column_name::text order by column_name::text collate "C") as columns
      from information_schema.column_privileges
      where grantee = 'svc_daemon' and table_schema = 'public' and privilege_type = 'UPDATE' group by 1`
    expect(Object.fromEntries(rows.map(({ table, columns }) => [table, columns]))).to.deep.equal(
      Object.fromEntries(Object.entries(MOVES).map(([table, columns]) => [table, columns.toSorted()])),
    )
  })

  it('inserts and deletes rows only in the listed tables', async () => {
    expect(await tablesWith('INSERT')).to.deep.equal(MAKES.toSorted())
    expect(await tablesWith('DELETE')).to.deep.equal(FORGETS.toSorted())
    expect(await tablesWith('TRUNCATE')).to.deep.equal([])
    expect(await tablesWith('TRIGGER')).to.deep.equal([])
  })

  for (const [title, statement] of ATTEMPTS) {
    it(`lacks the privilege for ${title}`, async () => {
      expect(await codeOf(daemon.unsafe(statement))).to.equal(INSUFFICIENT_PRIVILEGE)
    })
  }

  async function tablesWith(privilege: string): Promise<readonly string[]> {
    const rows = await database.sql<{ table: string }[]>`
      select distinct table_name::text collate "C" as table from information_schema.column_privileges
      where grantee = 'svc_daemon' and table_schema = 'public' and privilege_type = ${privilege}
      union
      select table_name::text from information_schema.table_privileges
      where grantee = 'svc_daemon' and table_schema = 'public' and privilege_type = ${privilege}
      order by 1`
    return rows.map(({ table }) => table)
  }
})

async function codeOf(work: PromiseLike<unknown>): Promise<string> {
  try {
    await work
    return 'done'
  } catch (error) {
    return errorCode(error) ?? String(error)
  }
}
