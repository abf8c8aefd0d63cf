-- A row that counted and that every node denies later keeps its status (decisions 3.8). An operator can strike it
-- (decisions 9.2): it is moved from its table, and so out of every sum, to `struck_rows`.

-- An operator's order. The daemon verifies it on every node and decides it once. If it was refused, the operator may
-- order the strike again.
create table strike_orders (
  id         bigint generated always as identity primary key,
  kind       text not null check (kind in ('transfer', 'split-event', 'escrow-transfer')),
  row_id     bigint not null,
  charge_id  text not null references charges,
  chain_id   bigint not null references deployments,
  reason     text not null check (length(reason) between 1 and 1000),
  ordered_at timestamptz not null default now(),
  ordered_by text not null default session_user,
  decided_at timestamptz,
  outcome    text check (outcome in ('struck', 'refused')),
  answer     text check (length(answer) <= 2000), -- why it was refused
  check ((decided_at is null) = (outcome is null))
);

create unique index strike_orders_pending on strike_orders (chain_id, kind, row_id) where decided_at is null;
create index strike_orders_by_charge on strike_orders (charge_id);

-- The struck rows as they were counted. Only the order has the operator's reason, which the API cannot read.
create table struck_rows (
  order_id          bigint primary key references strike_orders,
  kind              text not null,
  row_id            bigint not null,
  charge_id         text not null references charges,
  chain_id          bigint not null,
  network           text not null,
  token             text not null,
  token_address     text not null,
  tx_hash           text not null,
  ordinal           int not null,
  event             text not null, -- kind of a split event, action of an escrow transfer, otherwise 'credited'
  party             text not null, -- the sender, the account, or the recipient
  source            text,          -- of a transfer
  amount_atomic     numeric(78, 0) not null,
  amount_atto       numeric(96, 0) not null, -- exact, in 10^-18 dollars
  on_time           boolean,       -- of a transfer
  caused_transition boolean,       -- of a transfer
  block_number      bigint not null,
  block_timestamp   bigint not null,
  detected_at       timestamptz not null,
  counted_at        timestamptz not null,
  struck_at         timestamptz not null
);

create index struck_rows_by_charge on struck_rows (charge_id);
create index struck_rows_by_transaction on struck_rows (chain_id, tx_hash);

-- Moves a row that counted out of its table, by an order that is still pending. The daemon cannot delete any other row
-- of these tables.
create function strike_row(of_order bigint) returns setof struck_rows
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  o strike_orders;
  d struck_rows;
begin
  select * into o from strike_orders where id = of_order and decided_at is null for update;
  if not found then return; end if;
  if o.kind = 'transfer' then
    with deleted as (
      delete from transfers t
      where t.id = o.row_id and t.chain_id = o.chain_id and t.charge_id = o.charge_id and t.credited_at is not null
      returning t.*)
    select o.id, o.kind, g.id, g.charge_id, g.chain_id, g.network, g.token, g.token_address, g.tx_hash, g.ordinal,
      'credited', coalesce(g.sender, ''), g.source, g.value_atomic, g.amount_atto, g.on_time, g.caused_transition,
      g.block_number, g.block_timestamp, g.detected_at, g.credited_at, now()
    into d from deleted g;
  elsif o.kind = 'split-event' then
    with deleted as (
      delete from split_events e
      where e.id = o.row_id and e.chain_id = o.chain_id and e.charge_id = o.charge_id and e.applied_at is not null
      returning e.*)
    select o.id, o.kind, g.id, g.charge_id, g.chain_id, p.network, p.token, g.token_address, g.tx_hash, g.ordinal,
      g.kind, g.account, null, g.amount_atomic, trunc(g.amount_atomic * 10::numeric ^ (18 - p.decimals)), null, null,
      g.block_number, g.block_timestamp, g.detected_at, g.applied_at, now()
    into d from deleted g join pairs p on p.chain_id = g.chain_id and p.token_address = g.token_address;
  else
    with deleted as (
      delete from escrow_transfers m
      where m.id = o.row_id and m.chain_id = o.chain_id and m.charge_id = o.charge_id and m.applied_at is not null
      returning m.*)
    select o.id, o.kind, g.id, g.charge_id, g.chain_id, p.network, p.token, g.token_address, g.tx_hash, g.ordinal,
      g.action, g.recipient, null, g.amount_atomic,
      trunc(g.amount_atomic * 10::numeric ^ (18 - p.decimals)) + g.dust_atto, null, null,
      g.block_number, g.block_timestamp, g.detected_at, g.applied_at, now()
    into d from deleted g join pairs p on p.chain_id = g.chain_id and p.token_address = g.token_address;
  end if;
  if d.order_id is null then return; end if;
  insert into struck_rows values (d.*);
  update strike_orders set decided_at = now(), outcome = 'struck' where id = o.id;
  return next d;
end
$$;

grant execute on function strike_row to svc_daemon;
grant select on strike_orders, struck_rows to svc_daemon;
grant update (decided_at, outcome, answer) on strike_orders to svc_daemon;
grant select, insert on strike_orders to svc_operator;
grant select on struck_rows to svc_operator, svc_api;
