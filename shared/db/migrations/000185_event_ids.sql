-- Ids of public events of charges are computed (decisions 3.1): an event that is appended again after its commit was lost,
-- in a failover or from an older backup, has the id under which receivers of webhooks may know it already. Nobody can
-- guess one: it is an HMAC under a secret that this database makes once, and that no role can read.
-- Blocks nobody. The build before this one goes on with random ids.

-- The two keys of HMAC-SHA256 (RFC 2104), so that no statement has to derive them.
create table event_secret (
  only_row  boolean primary key default true check (only_row),
  inner_key bytea not null check (length(inner_key) = 64),
  outer_key bytea not null check (length(outer_key) = 64)
);

do $$
declare
  -- A random UUID has 122 random bits; three make more than the 256 of a key.
  key bytea := sha256(convert_to(concat(gen_random_uuid(), gen_random_uuid(), gen_random_uuid()), 'UTF8'))
    || decode(repeat('00', 32), 'hex');
  inner_key bytea := key;
  outer_key bytea := key;
begin
  for at in 0..63 loop
    inner_key := set_byte(inner_key, at, get_byte(key, at) # 54);
    outer_key := set_byte(outer_key, at, get_byte(key, at) # 92);
  end loop;
  insert into event_secret (inner_key, outer_key) values (inner_key, outer_key);
end
$$;

-- `evt_`, the ten characters of time of the charge's own id, and 130 bits of the HMAC of charge, type and ordinal. The
-- time is the charge's, because nothing else is the same when an event is made again: a turn may hear of its facts
-- together or one by one, and a deadline is passed by our clock where a chain stands still.
create function charge_event_id(of_charge text, of_type text, ordinal bigint) returns text
  language sql stable security definer set search_path = public, pg_temp as $$
  select 'evt_' || substr(of_charge, 4, 10) || string_agg(
    substr('0123456789abcdefghjkmnpqrstvwxyz', (get_byte(mac, at) & 31) + 1, 1), '' order by at)
  from (
    select sha256(outer_key || sha256(inner_key || convert_to(concat_ws('/', of_charge, of_type, ordinal), 'UTF8'))) as mac
    from event_secret) s, generate_series(0, 25) at
$$;

grant execute on function charge_event_id to svc_daemon;
