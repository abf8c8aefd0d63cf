-- A refund on a chain is seen and confirmed only by a quorum of operators, like the rows of payments (decisions 9.1), a
-- confirmed refund stays confirmed, and the refunds of a charge never count more than the charge received. The daemon
-- has these rules, and the database enforces them against a defect of the daemon. Nothing waits: the table is new.

create function require_refund_rules() returns trigger
  language plpgsql set search_path = public, pg_temp as $$
declare
  counted numeric;
begin
  if tg_op = 'UPDATE' and old.status = 'confirmed' then
    if (new.status, new.tx_hash, new.ordinal, new.counted_atomic, new.seen_at, new.confirmed_at, new.canceled_at,
        new.expired_at)
      is distinct from (old.status, old.tx_hash, old.ordinal, old.counted_atomic, old.seen_at, old.confirmed_at,
        old.canceled_at, old.expired_at) then
      raise exception 'refund % is confirmed', old.id using errcode = 'check_violation';
    end if;
  end if;
  if new.chain_id is null or new.status not in ('seen', 'confirmed') then
    return new;
  end if;
  if tg_op = 'UPDATE'
    and (new.status, new.tx_hash, new.ordinal, new.block_number, new.block_hash, new.block_timestamp, new.agreed_by)
      is not distinct from
        (old.status, old.tx_hash, old.ordinal, old.block_number, old.block_hash, old.block_timestamp, old.agreed_by) then
    return new;
  end if;
  -- No refund is older than the quorum, so none is exempt from it.
  if new.agreed_by[1] = 'before-quorum' or not is_agreed(new.agreed_by, new.chain_id) then
    raise exception 'refund % has no quorum', new.id using errcode = 'check_violation';
  end if;
  if new.status = 'confirmed' and new.counted_atomic > 0 and (tg_op = 'INSERT' or old.status <> 'confirmed') then
    select sum(r.counted_atomic) into counted from refunds r
    where r.charge_id = new.charge_id and r.chain_id = new.chain_id and r.token_address = new.token_address
      and r.status = 'confirmed' and r.id <> new.id;
    if coalesce(counted, 0) + new.counted_atomic > coalesce((
      select l.credited_atomic from charge_ledgers l
      where l.charge_id = new.charge_id and l.chain_id = new.chain_id and l.token_address = new.token_address), 0) then
      raise exception 'refund % counts more than its charge received', new.id using errcode = 'check_violation';
    end if;
  end if;
  return new;
end
$$;

create trigger refunds_require_rules before insert or update on refunds
  for each row execute function require_refund_rules();
revoke execute on function require_refund_rules() from public;

-- The daemon declares refunds, and only its updates, which the trigger checks, give them a transfer.
revoke insert on refunds from svc_daemon;
grant insert (id, charge_id, organization_id, environment, family, network, token, chain_id, token_address, decimals,
    status, claim_hash, sender, destination, amount_atomic, after_block, reason, idempotency_key, request_hash, created_at, expires_at,
    scanned_block) on refunds to svc_daemon;
