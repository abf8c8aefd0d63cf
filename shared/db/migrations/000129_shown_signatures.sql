-- A signature that a node has been shown may be carried out by whoever runs it, whatever we do with it. So its row is written
-- before a node sees it, without a transaction of ours, and that follows. Blocks nobody; the build before this one runs beside
-- it, follows such rows to their end, and carries none of them out.
comment on column authorizations.relayer is
  'null: nothing of ours carries it out, be it that somebody else was first, or that we have not signed yet';

-- Written once, by the statement that looks that it is not there yet.
grant update (relayer, relayer_nonce) on authorizations to svc_daemon;
-- By which what is asked of a charge is told from what is in its way; the API makes these ids.
grant select (request_id) on authorizations to svc_api;

-- Deletes an authorization that nobody carries out or ever could, as every node says; true if it is gone. What we have signed
-- for, and what a transaction is known of, stays.
create function forget_authorization(of_request text) returns boolean
  language sql security definer set search_path = public, pg_temp as $$
  with gone as (
    delete from authorizations
    where request_id = of_request and status = 'signed' and relayer is null and tx_hash is null returning 1)
  select exists (select from gone)
$$;

grant execute on function forget_authorization to svc_daemon;
