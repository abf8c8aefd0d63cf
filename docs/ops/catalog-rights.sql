-- Revokes rights that PostgreSQL grants to every role, so that svc_api does not have them. On a new server, roles.sql and
-- compose.yaml run this file. On a server that was set up before this file existed, run it as a superuser after you have
-- upgraded the API processes:
--
--   psql -f docs/ops/catalog-rights.sql
--
-- With these rights, an attacker with the API's role could hold the advisory lock that makes a daemon the owner of a chain, or
-- the lock of the migrations, and could fill the disk with large objects and temporary tables. The catalog functions belong to
-- the superuser, so no migration can revoke the right to execute them. The daemon keeps the locks. Ponder keeps a lock and
-- temporary tables.
\connect payments
do $$
declare
  name     text := current_database();
  owner    name := (select pg_get_userbyid(datdba) from pg_database where datname = current_database());
  routine  regprocedure;
begin
  for routine in
    select oid from pg_proc
    where pronamespace = 'pg_catalog'::regnamespace
      and (proname ~ '^pg_(try_)?advisory_(xact_)?lock' or proname in ('lo_creat', 'lo_create', 'lo_from_bytea'))
  loop
    execute format('revoke execute on function %s from public', routine);
    execute format('grant execute on function %s to svc_daemon, svc_ponder, %I', routine, owner);
  end loop;
  execute format('revoke temporary on database %I from public', name);
  execute format('grant temporary on database %I to svc_daemon, svc_ponder', name);
end
$$;
