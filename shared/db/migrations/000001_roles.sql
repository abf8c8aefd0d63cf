-- Four least-privilege group roles. A deployment creates login users "in role" one of them. svc_api reads the rows that
-- responses show, and inserts requests; svc_daemon updates charges; svc_operator runs the commands; svc_ponder is the
-- role of Ponder, a separate process with much third-party code: it creates schemas, writes in them, and may only read
-- which addresses belong to charges. The deployment makes the daemon's user a member of Ponder's user (see
-- .env.example), so that the daemon can read, repair and fence Ponder's tables. Roles belong to the cluster and not to
-- the database, so another database of the cluster might have created them already.
do $$
declare
  role_name text;
begin
  foreach role_name in array array['svc_api', 'svc_daemon', 'svc_operator', 'svc_ponder'] loop
    begin
      execute format('create role %I nologin', role_name);
    exception when duplicate_object or unique_violation then
      null;
    end;
  end loop;
end
$$;

revoke all on schema public from public;
grant usage on schema public to svc_api, svc_daemon, svc_operator, svc_ponder;

-- Ponder creates a schema per deployment and generation. This grant belongs to the database itself: neither a clone of
-- a template nor a dump of tables carries it.
do $$
begin
  execute format('grant create on database %I to svc_ponder', current_database());
end
$$;

-- Every role may execute a new function by default, and a role that may execute a trigger function can attach it to its
-- own temporary table. svc_api could thereby forge rows that only a trigger may write. PostgreSQL checks the right when
-- a trigger is created, not when it fires, so functions are granted one by one.
alter default privileges revoke execute on functions from public;
