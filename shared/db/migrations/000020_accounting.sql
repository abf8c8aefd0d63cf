-- A merchant's books: one row per double entry in one token of one charge. The daemon writes the row in the transaction
-- that counts the credit, distribution, held or released share, escrow transfer or strike. No row is changed or
-- deleted: a correction is a separate row that names the corrected row (docs/accounting.md).

-- Sums the legs of these accounts, or of all, in the entry's unit.
create function sum_legs(legs jsonb, accounts text[] default null) returns numeric
  language sql immutable parallel safe as $$
  select coalesce(sum((leg ->> 'amount')::numeric), 0) from jsonb_array_elements(legs) as leg
  where accounts is null or leg ->> 'account' = any (accounts)
$$;

create table accounting_entries (
  entry_id        text primary key,
  organization_id text not null references organizations,
  environment     text not null check (environment in ('live', 'test')),
  charge_id       text not null references charges,
  category        text not null check (category in ('payment', 'sale', 'payout', 'hold', 'release', 'escrow_release',
                    'escrow_refund', 'refund', 'adjustment')),
  corrects        text, -- the entry that an adjustment corrects
  network         text not null,
  token           text not null,
  chain_id        bigint, -- null in the sandbox, like the three columns below
  token_address   text,
  tx_hash         text,
  block_number    bigint,
  -- Decimals of the amounts in `legs`: the token's, or 18 if a chain moved less than one unit of the token (Arc).
  decimals        smallint not null check (decimals between 0 and 18),
  -- [{ "account": "clearing", "amount": "-5000000", "party": "0x…" or null }], in order; a debit is positive.
  legs            jsonb not null check (jsonb_array_length(legs) >= 2 and sum_legs(legs) = 0),
  posted_at       timestamptz not null, -- time of the block; for an adjustment, of its recording
  counted_at      timestamptz not null, -- when the daemon counted the row
  recorded_at     timestamptz not null default now(), -- later than `counted_at` if the books were rebuilt
  -- In 10^-18 dollars, for metrics.
  merchant_received_atto numeric not null generated always as (
    case when category = 'refund' then 0 else trunc(sum_legs(legs, '{wallet}') * 10::numeric ^ (18 - decimals)) end) stored,
  fee_charged_atto       numeric not null generated always as (
    trunc(sum_legs(legs, '{fee,incentive}') * 10::numeric ^ (18 - decimals))) stored,
  check (chain_id is not null or environment = 'test'), -- the sandbox is in no live books
  check ((chain_id is null) = (token_address is null)),
  check ((category = 'adjustment') = (corrects is not null))
);

create index accounting_entries_by_posting on accounting_entries (organization_id, environment, posted_at, entry_id);
create index accounting_entries_by_recording on accounting_entries (organization_id, environment, recorded_at, entry_id);
create index accounting_entries_of_charge on accounting_entries (charge_id)
  include (merchant_received_atto, fee_charged_atto);

grant execute on function sum_legs to svc_daemon, svc_operator;
grant select on accounting_entries to svc_api;
grant select, insert on accounting_entries to svc_daemon, svc_operator;
