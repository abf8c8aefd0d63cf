-- Four least-privilege group roles; a deployment creates login users "in role" one of them.
-- svc_api reads what it shows and asks; svc_daemon moves charges; svc_operator runs the command lines; svc_ponder is
-- Ponder's, a process of its own on much code that is not ours: it makes schemas and writes in them, and of ours it reads
-- which addresses are charges', nothing else. The daemon's user is made a member of Ponder's user by whoever makes the
-- two (see .env.example), so that it may read, mend and fence what Ponder has made.
-- Roles belong to the cluster, not the database, so another database may have made them already.
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

-- Ponder makes a schema per deployment and generation. Such a grant belongs to the database itself: neither a
-- template's clone nor a dump of tables carries it.
do $$
begin
  execute format('grant create on database %I to svc_ponder', current_database());
end
$$;

-- A function may be executed by everybody until that is taken away, and whoever may execute a trigger function can hang
-- it on a temporary table of his own: so `svc_api` could make deliveries of anybody's events to anybody's webhook.
-- PostgreSQL asks for the privilege when a trigger is made, not when it fires. So a function is nobody's until it is
-- granted.
alter default privileges revoke execute on functions from public;
