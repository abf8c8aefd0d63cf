-- The outbox. `number` orders the events of one charge (its row lock serialises them); `seq` is given to committed
-- rows by the sequencer from the one counter row, so a reader that has seen seq n has missed nothing below it.
create table events (
  number          bigint generated always as identity primary key,
  id              text not null unique,
  seq             bigint unique,
  category        text not null check (category in ('payments', 'webhooks', 'distributions', 'internal')),
  type            text not null,
  organization_id text references organizations, -- null: visible to all (the keeper feed)
  environment     text not null check (environment in ('live', 'test')),
  charge_id       text references charges,
  data            text not null, -- JSON, frozen when committed
  created_at      timestamptz not null
);

create index events_unsequenced on events (number) where seq is null;
create index events_of_charge on events (charge_id, number);
-- The last line of defence: these happen at most once in a charge's life, whatever runs twice.
create unique index events_once_per_charge on events (charge_id, type) where type in (
  'charge.created', 'charge.partially_paid', 'charge.confirmed', 'charge.overpaid', 'charge.expired',
  'charge.underpaid', 'charge.settled', 'charge.escrow_released', 'charge.escrow_refunded');

create table event_counter (
  only_row boolean primary key default true check (only_row),
  last_seq bigint not null
);
insert into event_counter values (true, 0);

grant select on events, event_counter to svc_api, svc_operator;
grant select, insert on events to svc_daemon;
grant update (seq) on events to svc_daemon;
grant select on event_counter to svc_daemon;
grant update (last_seq) on event_counter to svc_daemon;
