-- Three least-privilege group roles; a deployment creates login users "in role" one of them.
-- svc_api reads what it shows and asks; svc_daemon moves charges; svc_operator runs the command lines.
-- Roles belong to the cluster, not the database, so another database may have made them already.
do $$
declare
  role_name text;
begin
  foreach role_name in array array['svc_api', 'svc_daemon', 'svc_operator'] loop
    begin
      execute format('create role %I nologin', role_name);
    exception when duplicate_object or unique_violation then
      null;
    end;
  end loop;
end
$$;

revoke all on schema public from public;
grant usage on schema public to svc_api, svc_daemon, svc_operator;

-- The daemon's Ponder makes a schema per deployment and generation. Such a grant belongs to the database itself:
-- neither a template's clone nor a dump of tables carries it.
do $$
begin
  execute format('grant create on database %I to svc_daemon', current_database());
end
$$;
