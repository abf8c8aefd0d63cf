-- Ponder runs in a process of its own, on much code that is not ours. So it has a role of its own: it makes schemas and
-- writes in them, and of ours it reads which addresses are charges', nothing else. The daemon's user is made a member of
-- Ponder's user by whoever makes the two (see .env.example), so that it may read, mend and fence what Ponder has made.
-- The build before this one must be stopped, and what its Ponders made be given to the new user: the daemon says how.
do $$
begin
  create role svc_ponder nologin;
exception when duplicate_object or unique_violation then
  null;
end
$$;

-- Such a grant belongs to the database itself: neither a template's clone nor a dump of tables carries it.
do $$
begin
  execute format('revoke create on database %I from svc_daemon', current_database());
  execute format('grant create on database %I to svc_ponder', current_database());
end
$$;

grant usage on schema public to svc_ponder;
grant select (address, split_address, escrow_releaser, is_simulated) on charges to svc_ponder;
