-- The sums of each charge's entries by pair, so that a turn does not sum all earlier entries again, because anyone can
-- send dust to a charge. Triggers keep the sums in the transaction that writes the entries, and no role may write them,
-- so they cannot differ from the entries. This migration blocks writers of entries while it sums the existing entries.
create table accounting_balances (
  charge_id        text not null references charges,
  network          text not null,
  token            text not null,
  chain_id         bigint, -- null in the sandbox, like the next column
  token_address    text,
  balances         jsonb not null, -- { "clearing": -5000000000000000000 }, in 10^-18 of the token
  counts           jsonb not null, -- entries by category: { "payment": 2 }; a correction of a sale counts as a sale
  -- Times of the blocks of the first and last payments and releases that were not struck.
  first_paid_at    timestamptz,
  last_paid_at     timestamptz,
  last_released_at timestamptz,
  last_counted_at  timestamptz not null,
  unique nulls not distinct (charge_id, network, token, chain_id)
);

create index accounting_entries_by_correction on accounting_entries (corrects) where corrects is not null;

create function add_amounts(a jsonb, b jsonb) returns jsonb
  language sql immutable parallel safe as $$
  select jsonb_object_agg(key, amount) from (
    select key, sum(value::numeric) as amount
    from (select * from jsonb_each_text(a) union all select * from jsonb_each_text(b)) parts
    group by key) sums
$$;

-- Sums these entries by charge and pair.
create function sum_entries(entry_ids text[]) returns setof accounting_balances
  language sql stable as $$
  with entries as materialized (
    select e.*, coalesce(e.chain_id, 0) as chain,
      case when e.entry_id like 'sa\_%' then 'sale' else e.category end as counted_as,
      case when not exists (select from accounting_entries a where a.corrects = e.entry_id) then e.category end as timed_as
    from accounting_entries e where e.entry_id = any (entry_ids)),
  pairs as (
    select charge_id, network, token, chain,
      min(posted_at) filter (where timed_as = 'payment') as first_paid_at,
      max(posted_at) filter (where timed_as = 'payment') as last_paid_at,
      max(posted_at) filter (where timed_as = 'escrow_release') as last_released_at,
      max(token_address) as token_address, max(counted_at) as last_counted_at
    from entries group by 1, 2, 3, 4),
  sums as (
    select charge_id, network, token, chain, jsonb_object_agg(account, trunc(amount)) as balances
    from (select charge_id, network, token, chain, leg ->> 'account' as account,
            sum((leg ->> 'amount')::numeric * 10::numeric ^ (18 - decimals)) as amount
          from entries, jsonb_array_elements(legs) as leg group by 1, 2, 3, 4, 5) accounts
    group by 1, 2, 3, 4),
  counted as (
    select charge_id, network, token, chain, jsonb_object_agg(counted_as, number) as counts
    from (select charge_id, network, token, chain, counted_as, count(*) as number from entries group by 1, 2, 3, 4, 5) kinds
    group by 1, 2, 3, 4)
  select charge_id, network, token, nullif(chain, 0), token_address, balances, counts, first_paid_at, last_paid_at,
    last_released_at, last_counted_at
  from pairs join sums using (charge_id, network, token, chain) join counted using (charge_id, network, token, chain)
$$;

create function add_to_balances(entry_ids text[]) returns void
  language sql as $$
  insert into accounting_balances as b select * from sum_entries(entry_ids)
  on conflict (charge_id, network, token, chain_id) do update set
    balances = add_amounts(b.balances, excluded.balances), counts = add_amounts(b.counts, excluded.counts),
    first_paid_at = least(b.first_paid_at, excluded.first_paid_at),
    last_paid_at = greatest(b.last_paid_at, excluded.last_paid_at),
    last_released_at = greatest(b.last_released_at, excluded.last_released_at),
    last_counted_at = greatest(b.last_counted_at, excluded.last_counted_at)
$$;

create function sync_accounting_balances() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  entry_ids text[] := array(select entry_id from changed);
begin
  -- A strike can take away the first or the last payment, so its charge is summed again from the beginning.
  if tg_op <> 'INSERT' or exists (select from changed where corrects is not null) then
    delete from accounting_balances where charge_id in (select charge_id from changed);
    entry_ids := array(select entry_id from accounting_entries where charge_id in (select charge_id from changed));
  end if;
  perform add_to_balances(entry_ids);
  return null;
end
$$;

create trigger accounting_entries_sum_inserted after insert on accounting_entries
  referencing new table as changed for each statement execute function sync_accounting_balances();
create trigger accounting_entries_sum_updated after update on accounting_entries
  referencing new table as changed for each statement execute function sync_accounting_balances();
create trigger accounting_entries_sum_deleted after delete on accounting_entries
  referencing old table as changed for each statement execute function sync_accounting_balances();

-- In batches, because one array of all entries would not fit into memory.
do $$
declare
  part text[];
  last text := '';
begin
  loop
    part := array(select entry_id from accounting_entries where entry_id > last order by entry_id limit 10000);
    exit when cardinality(part) = 0;
    perform add_to_balances(part);
    last := part[cardinality(part)];
  end loop;
end
$$;

grant select on accounting_balances to svc_daemon, svc_operator;

-- Strikes a row at the time of the daemon's turn. A rebuild of the books sorts the turns by these times.
create function strike_row_at(of_order bigint, at timestamptz) returns setof struck_rows
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  d struck_rows;
begin
  select * into d from strike_row(of_order);
  if d.order_id is null then return; end if;
  return query update struck_rows set struck_at = at where order_id = d.order_id returning *;
end
$$;

grant execute on function strike_row_at to svc_daemon;
