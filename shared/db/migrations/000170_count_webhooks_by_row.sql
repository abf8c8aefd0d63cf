-- Lets svc_api wait for the other writers of an organization's webhooks without an advisory lock, which
-- docs/ops/catalog-rights.sql takes from it. The organization's row is locked instead. That lock needs the right to update
-- the row, which svc_api must not have, so the function has it. Blocks no writer.
create function lock_organization(organization text) returns void
  language sql security definer set search_path = public, pg_temp as $$
  select from organizations where id = organization for no key update;
$$;
grant execute on function lock_organization to svc_api;
