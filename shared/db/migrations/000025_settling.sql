-- What decides a charge's settlement, apart from what came late; and payouts are found fairly among organizations.
-- Blocks writers of charge_pairs and payouts while they are rewritten and indexed. The build before it must be stopped:
-- it writes ledgers without the new column.

-- The part of what was credited that made the charge confirmed or underpaid; of an expired one, what was worth a payout.
alter table charge_pairs add column settling_atomic numeric(78, 0) not null default 0 check (settling_atomic >= 0);

update charge_pairs l set settling_atomic = case
  when c.status = 'expired' then case when c.settlement_status is null then 0 else l.payable_atomic end
  else coalesce((
    select sum(t.value_atomic) from transfers t
    where t.charge_id = l.charge_id and t.chain_id = l.chain_id and t.token_address = l.token_address
      and t.credited_at is not null and t.on_time
      and (c.confirmed_at is null or t.credited_at <= c.confirmed_at)), 0)
  end
from charges c where c.id = l.charge_id;

-- A charge that is confirmed has something to settle, whatever clock said when.
update charge_pairs l set settling_atomic = l.credited_atomic
from charges c
where c.id = l.charge_id and c.settlement_status = 'pending'
  and not exists (select from charge_pairs o where o.charge_id = l.charge_id and o.settling_atomic > 0);

-- One organization after the other, each with its own that are due.
create index payouts_due_of_organization on payouts (chain_id, organization_id, next_attempt_at, id)
  where status in ('pending', 'processing');
