import type { Db, Sql } from '../../shared/db/connect.ts'
import { inTransaction } from '../../shared/db/transaction.ts'

/** The organization with half of all charges. */
export const LARGEST = 'org_0'

/**
 * Inserts charges of 50 organizations, one second apart, and for each paid charge an uncredited transfer of 10 USDC on
 * base. Takes a few seconds for 100,000 charges. `sql` must be the owner's.
 *
 * Half of the charges belong to `LARGEST`. Of all charges, 60 % are expired, 3 % pending, 1 % partially paid, 1 %
 * underpaid, 33 % confirmed with the exact amount and 2 % confirmed with more. According to `paid_with`, 2 % were paid
 * in USDT on bnb, 1 % in both pairs, and the other paid charges in USDC on base.
 */
export async function insertManyCharges(sql: Sql, count: number): Promise<void> {
  await inTransaction(sql, (transaction) => fill(transaction, count))
  await sql.unsafe('vacuum analyze charges, charges_by_paid_with, transfers')
}

async function fill(sql: Db, count: number): Promise<void> {
  await sql`set local statement_timeout = 0` // On a busy machine, the triggers exceed the default limit.
  await sql`
    insert into organizations (id, name) select 'org_' || n, 'org_' || n from generate_series(0, 49) n
    on conflict do nothing`
  await sql`
    insert into charges (id, organization_id, environment, family, amount_micro, fee_payer, fee_percent,
      accepted_payments, accepted_chains, address, split_address, split_terms, split_recipients, request_hash,
      created_at, expires_at, last_activity_at, status, received_atto, paid_with, confirmed_at)
    select 'ch_' || lpad(n::text, 24, '0'), case n % 2 when 0 then 'org_0' else 'org_' || n % 49 + 1 end, 'live', 'evm',
      10000000, 'merchant', 1, '{USDC/base,USDT/bnb}', '{8453,56}', '0x' || address, '0x' || address, ${sql.json(TERMS)},
      '[]', '', created_at, created_at + interval '1 hour', created_at, status,
      case when paid_with <> '{}' then 10000000000000000000 + (place in (70, 90))::int end, paid_with,
      case when status = 'confirmed' then created_at end
    from generate_series(1, ${count}::int) n,
      lateral (select timestamptz '2026-01-01' + n * interval '1 second' as created_at,
        substr(md5(n::text) || md5((-n)::text), 1, 40) as address,
        n / 2 % 100 as place) drawn,
      lateral (select case when place < 60 then 'expired' when place < 63 then 'pending'
        when place < 64 then 'partially_paid' when place < 65 then 'underpaid' else 'confirmed' end as status) stated,
      lateral (select case when place < 63 then '{}'::text[] when place in (80, 81) then '{USDT/bnb}'
        when place = 82 then '{USDC/base,USDT/bnb}' else '{USDC/base}' end as paid_with) paid`
  await sql`
    insert into charges_by_paid_with (organization_id, environment, paid_with, status, is_overpaid, created_at, charge_id)
    select organization_id, environment, key, status, is_overpaid, created_at, id
    from charges, unnest(list_search_keys(paid_with)) key`
  await sql`
    insert into transfers (charge_id, network, token, source, chain_id, token_address, tx_hash, ordinal, value_atomic,
      amount_atto, accepted, inclusion, block_number)
    select id, 'base', 'USDC', 'contract_watcher', 8453, '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
      '0x' || md5(id) || md5(id), 0, 10000000, 10000000000000000000, true, 'included', 1
    from charges where paid_with <> '{}'`
}

/** Terms of a split with arbitrary recipients. */
const TERMS = {
  factory: `0x${'fa'.repeat(20)}`,
  recipients: [`0x${'a1'.repeat(20)}`, `0x${'77'.repeat(20)}`],
  allocations: [990_991, 9_009],
  totalAllocation: 1_000_000,
  distributionIncentive: 1_000,
}
