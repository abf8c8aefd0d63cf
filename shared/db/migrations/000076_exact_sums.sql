-- Sums of what came in are kept to 10^-18 dollars where another contract logs a token's transfers with more decimals than
-- the token has (Arc): what is below a unit of the token stands beside the sum, and nothing is rounded but the whole of
-- it. New columns have constant defaults and the constraint is checked by a scan: writers of escrow_movements wait for
-- that alone.
--
-- In 10^-18 dollars, always less than a unit of the token.
alter table charge_pairs
  add column credited_dust_atto  numeric(18, 0) not null default 0 check (credited_dust_atto >= 0),
  add column settling_dust_atto  numeric(18, 0) not null default 0 check (settling_dust_atto >= 0),
  add column left_safe_dust_atto numeric(18, 0) not null default 0 check (left_safe_dust_atto >= 0),
  add column released_dust_atto  numeric(18, 0) not null default 0 check (released_dust_atto >= 0);

-- A Safe on Arc can send the coin itself, less than a unit of the token included.
alter table escrow_movements
  add column dust_atto numeric(18, 0) not null default 0 check (dust_atto >= 0),
  drop constraint escrow_movements_amount_atomic_check,
  add constraint escrow_movements_amount_check check (amount_atomic >= 0 and amount_atomic + dust_atto > 0);

grant update (credited_dust_atto, settling_dust_atto, left_safe_dust_atto, released_dust_atto)
  on charge_pairs to svc_daemon;
grant update (dust_atto) on escrow_movements to svc_daemon;
