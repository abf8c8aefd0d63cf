import type { InvariantContext } from './invariant-context.ts'
import type { Scene } from './scene.ts'

type Terms = Pick<InvariantContext, 'database' | 'history'>

/**
 * Describes every unfinished row, what it waits for, and each chain. The failure of a history that does not come to
 * rest contains these lines.
 */
export async function listStalledRows(terms: Terms): Promise<readonly string[]> {
  const { sql } = terms.database
  const parts = [
    ...[openCharges(sql), unsettledCharges(sql), uncountedRows(sql), openPayouts(sql), heldShares(sql)],
    ...[openTransactions(sql), pendingDeliveries(sql), seenRefunds(sql)],
  ]
  const lines: string[] = []
  for (const part of parts) for (const { line } of await part) lines.push(line)
  return [...lines, ...(await listChains(terms))]
}

type Sql = InvariantContext['database']['sql']
type Line = { readonly line: string }

/** An open charge waits for its deadline and, on each chain, for the quorum to pass it and to verify the balances. */
function openCharges(sql: Sql) {
  return sql<Line[]>`
    select concat_ws(', ', 'charge ' || c.id || ' is ' || c.status, 'its deadline is ' || c.expires_at,
      'it is quarantined since ' || c.quarantined_at, (
        select string_agg(concat_ws(' ', 'on chain', a.chain_id, 'the quorum is at',
          coalesce(to_timestamp(d.agreed_head_timestamp)::text, 'no block'), 'and its balances are', coalesce(v.result, 'unread'),
          'at block ' || v.block_number, 'with ' || v.found_atomic || ' instead of ' || v.expected_atomic,
          'until ' || v.next_attempt_at), ', ' order by a.chain_id)
        from unnest(c.accepted_chains) a (chain_id)
        left join deployments d on d.chain_id = a.chain_id
        left join expiry_verifications v on v.charge_id = c.id and v.chain_id = a.chain_id)) as line
    from charges c where c.status in ('pending', 'partially_paid') order by c.id`
}

/** An ended charge with payable funds waits for the distribution of each pair. */
function unsettledCharges(sql: Sql) {
  return sql<Line[]>`
    select concat_ws(', ', 'charge ' || c.id || ' is ' || c.status,
      'its settlement is ' || coalesce(c.settlement_status, 'none'), string_agg(concat_ws(' ', l.network, l.token,
        'has distributed', l.distributed_atomic, 'of', l.payable_atomic), ', ' order by l.network, l.token)) as line
    from charges c join charge_ledgers l on l.charge_id = c.id
    where c.status not in ('pending', 'partially_paid') and c.settlement_status is distinct from 'completed'
      and l.payable_atomic > 0
    group by c.id order by c.id`
}

/** An uncounted transfer or split event waits for the quorum's agreement, or for confirmation depth. */
function uncountedRows(sql: Sql) {
  return sql<Line[]>`
    select concat_ws(', ', what || ' of ' || charge_id || ' on ' || chain_id || ' is ' || inclusion || ' in block ' || block_number,
      coalesce('agreed by ' || array_to_string(agreed_by, ' and '), 'no quorum has shown it'),
      'denied in block ' || denied_block_hash, 'missing since ' || missing_since) as line
    from (
      select 'transfer ' || id as what, charge_id, chain_id, inclusion, block_number, agreed_by, denied_block_hash, missing_since
      from transfers where accepted and credited_at is null and inclusion <> 'orphaned'
      union all
      select kind || ' ' || id, charge_id, chain_id, inclusion, block_number, agreed_by, denied_block_hash, missing_since
      from split_events where applied_at is null and inclusion <> 'orphaned') rows
    order by what`
}

/** A payout waits for its next attempt, for the lease of another daemon, or for its transaction. */
function openPayouts(sql: Sql) {
  return sql<Line[]>`
    select concat_ws(', ', 'payout ' || p.id || ' of ' || p.charge_id || ' on ' || p.chain_id || ' is ' || p.status,
      p.attempts || ' attempts', 'the next is due at ' || p.next_attempt_at, 'leased until ' || p.leased_until,
      'held since ' || p.held_since, 'last error: ' || p.last_error, (
        select string_agg('transaction ' || r.tx_hash || ' with nonce ' || r.nonce || ' is ' || r.status, ', ' order by r.created_at)
        from relayer_transactions r where r.payout_id = p.id)) as line
    from payouts p where p.status <> 'completed' order by p.id`
}

function heldShares(sql: Sql) {
  return sql<Line[]>`
    select concat_ws(', ', 'held share ' || id || ' of ' || charge_id || ' on ' || chain_id || ' is ' || held_atomic,
      'the next attempt is due at ' || next_attempt_at, 'last error: ' || last_error) as line
    from held_shares where held_atomic > 0 order by id`
}

/** A transaction waits for its inclusion in a block, or for confirmation depth. */
function openTransactions(sql: Sql) {
  return sql<Line[]>`
    select concat_ws(', ', 'transaction ' || tx_hash || ' on ' || chain_id || ' with nonce ' || nonce || ' is ' || status,
      'in block ' || block_number, 'sent at ' || last_broadcast_at, 'rejected since ' || rejected_since) as line
    from relayer_transactions where status in ('signed', 'mined') order by chain_id, nonce`
}

function pendingDeliveries(sql: Sql) {
  return sql<Line[]>`
    select concat_ws(', ', 'delivery ' || d.public_id || ' of ' || e.type || ' ' || e.id || ' to ' || d.webhook_id || ' is pending',
      d.attempts || ' attempts', 'the next is due at ' || d.next_attempt_at, 'leased until ' || d.leased_until,
      'last error: ' || coalesce(d.last_error, d.response_code::text)) as line
    from deliveries d join events e on e.number = d.event_number where d.status = 'pending'
    union all
    select 'event ' || id || ' (' || type || ') has no number' from events where seq is null`
}

function seenRefunds(sql: Sql) {
  return sql<Line[]>`
    select concat_ws(', ', 'refund ' || id || ' of ' || charge_id || ' on ' || chain_id || ' is seen',
      'in block ' || block_number, 'agreed by ' || array_to_string(agreed_by, ' and ')) as line
    from refunds where status = 'seen' order by id`
}

type ChainNow = {
  readonly chainId: number
  readonly feedNumber: number | null
  readonly line: string
}

async function listChains({ database, history }: Terms): Promise<readonly string[]> {
  const rows = await database.sql<ChainNow[]>`
    select chain_id, concat_ws(', ', 'the feed ' || ponder_schema || ' is at ' || head_number,
      'confirmed at ' || confirmed_head_number, 'the quorum agreed on ' || agreed_head_number,
      'and responded at ' || quorum_responded_at, coalesce('asleep since ' || asleep_since, 'awake'),
      'must wake since ' || wake_requested_at, 'abandoned since ' || abandoned_at) as line
    from deployments`
  return [...history.scenes.values()].map((scene) => {
    const { line } = rows.find(({ chainId }) => chainId === scene.deployment.chainId) ?? { line: 'unknown' }
    return `chain ${scene.deployment.chainId} is at ${scene.chain.tip().number}, ${describeNodes(scene)}, ${line}`
  })
}

function describeNodes({ nodes, ponder }: Scene): string {
  const described = nodes.map(({ url, head, mode, lie }) => {
    const state = lie === null ? mode : lie.kinds.join(' and ')
    return `${new URL(url).host.split('.')[0]} ${state} at ${head.number}`
  })
  return [
    ...described,
    `Ponder reads ${new URL(ponder.node().url).host.split('.')[0]} at ${ponder.headNumber()}`,
  ].join(', ')
}
