-- A configuration of the service is one of a family of networks and of an environment. On TRON factories follow from the
-- transaction that made them: a live charge with the test network's factory would have an address at which nobody can
-- ever deploy a split. Blocks writers for as long as a table of few rows takes; a daemon of an earlier build cannot
-- start any more.
alter table service_terms drop constraint service_terms_pkey;
alter table service_terms add column family text not null default 'evm' check (family in ('evm', 'tron'));
alter table service_terms add column environment text not null default 'live' check (environment in ('live', 'test'));
alter table service_terms alter column family drop default, alter column environment drop default;

-- Until now there were EVM networks alone, where the factory is the same one everywhere.
insert into service_terms (family, environment, factory, treasury, fee_percent, escrow_fee_percent,
  distributor_fee_percent, first_used_at)
select 'evm', 'test', factory, treasury, fee_percent, escrow_fee_percent, distributor_fee_percent, first_used_at
from service_terms;

alter table service_terms add primary key
  (family, environment, factory, treasury, fee_percent, escrow_fee_percent, distributor_fee_percent);
