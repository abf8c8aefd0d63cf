-- A function may be executed by everybody until that is taken away, and whoever may execute a trigger function can hang
-- it on a temporary table of his own: so `svc_api` could have made deliveries of anybody's events to anybody's webhook.
-- PostgreSQL asks for the privilege when a trigger is made, not when it fires. Blocks nobody.

-- Each by its name: an extension may have functions in this schema, and they are not ours to revoke.
revoke execute on function
  record_head, search_keys, move_paid_charge, insert_deliveries, close_deliveries_of_deleted, take_from_rate_limit
  from public;

-- What is made later is nobody's until it is granted.
alter default privileges revoke execute on functions from public;

grant execute on function record_head to svc_daemon; -- it hangs it on each checkpoint of Ponder's
grant execute on function take_from_rate_limit to svc_api;
