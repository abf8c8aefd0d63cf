-- What the daemon may write of a row is what moves of it. The terms that somebody was promised (who is paid, by what
-- fee, to which address, by which factory, how much), and what says which thing a row is about, are written once: no
-- mistake or break-in of the daemon changes them afterwards. Blocks nobody for longer than the catalog takes. The build
-- before this one may run beside it.

-- A charge is made by `create_charges` alone.
revoke insert, update on charges from svc_daemon;
grant update (status, settlement_status, received_atto, on_time_atto, paid_with, confirmed_at, settled_at,
    last_activity_at, escrow_released_at, escrow_refunded_at, parked_at) on charges to svc_daemon;

-- What was seen on a chain may be included again elsewhere; whose it is and what identifies it stays.
revoke update on transfers, split_events, escrow_movements from svc_daemon;
grant update (sender, value_atomic, amount_atto, accepted, refusal, presence, block_number, block_hash, block_timestamp,
    log_index, ponder_schema, missing_since, judged_at, deep_block_hash, credited_at, on_time, caused_transition)
  on transfers to svc_daemon;
grant update (account, amount_atomic, presence, block_number, block_hash, block_timestamp, log_index, ponder_schema,
    missing_since, judged_at, deep_block_hash, announced_at, applied_at) on split_events to svc_daemon;
grant update (action, recipient, amount_atomic, presence, block_number, block_hash, block_timestamp, log_index,
    ponder_schema, missing_since, judged_at, deep_block_hash, applied_at) on escrow_movements to svc_daemon;

-- A ledger's sums, but not of which token they are; a payout's progress, but not which split it empties.
revoke update on charge_pairs, payouts, held_shares from svc_daemon;
grant update (credited_atomic, settling_atomic, released_atomic, left_safe_atomic, distributed_atomic,
    merchant_held_atomic) on charge_pairs to svc_daemon;
grant update (status, attempts, available_since, grace_ends_at, next_attempt_at, locked_until, held_since,
    processing_started_at, completed_at, distributor_address, tx_hash, last_error) on payouts to svc_daemon;
grant update (held_atomic, next_attempt_at, last_error) on held_shares to svc_daemon;

-- What was signed stays what was signed.
revoke update on relayers, relayer_transactions, escrow_orders from svc_daemon;
grant update (next_nonce) on relayers to svc_daemon;
grant update (status, created_at, last_broadcast_at, block_number, refused_since) on relayer_transactions
  to svc_daemon;
grant update (status) on escrow_orders to svc_daemon;

-- Whether a pair is paused and a network abandoned is the operator's word; a pair keeps its contract and decimals. The
-- heads are written by `record_head`.
revoke update on deployments, pairs, feeds from svc_daemon;
revoke insert, update on chain_heads from svc_daemon;
grant update (confirmations, block_time_ms, contracts_match, ponder_schema, version, head_number, head_timestamp,
    deep_number, deep_timestamp, finalized_number, highest_head, highest_head_at, quiet_at, feed_above_since,
    mend_requested_at, mend_from, feed_mends, owner_epoch) on deployments to svc_daemon;
grant update (enabled) on pairs to svc_daemon;
grant update (created_at, retired_at) on feeds to svc_daemon;

revoke update on reconciliations, balance_evidence from svc_daemon;
grant update (scanned_number, next_at) on reconciliations to svc_daemon;
grant update (result, block_number, block_timestamp, checked_at, account, token_address, expected_atomic, found_atomic,
    searched_at, next_at) on balance_evidence to svc_daemon;

-- What was asked is answered, not changed; where a webhook goes and what signs it is the organization's.
revoke update on requests, webhooks, deliveries from svc_daemon;
grant update (consumed_at, answer, answered_at) on requests to svc_daemon;
grant update (status, attempts, cycle_attempts, cycle_started_at, next_attempt_at, locked_until, first_attempted_at,
    response_code, response_excerpt, last_error, delivered_at, failed_at) on deliveries to svc_daemon;
revoke update on endpoint_health, endpoint_attempts, event_counter from svc_daemon;
grant update (last_seq) on event_counter to svc_daemon;
grant update (ratio, recovery, is_failing) on endpoint_health to svc_daemon;
grant update (finished, failed) on endpoint_attempts to svc_daemon;

-- Of keys it needs to know whom they pay; it authenticates nobody.
revoke select on api_keys, organizations from svc_daemon;
grant select (id, organization_id, environment, payout_address) on api_keys to svc_daemon;
