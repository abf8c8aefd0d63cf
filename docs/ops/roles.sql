-- Creates the service's roles and database. For psql as a superuser on a new server, with a different password for each role:
--
--   psql -v owner="'…'" -v api="'…'" -v indexer="'…'" -v ponder="'…'" -v operator="'…'" -f docs/ops/roles.sql
--
-- The migrations grant rights to the groups (svc_…). compose.yaml creates the same roles.
create role svc_api nologin;
create role svc_daemon nologin;
create role svc_ponder nologin;
create role svc_operator nologin;
create role payments_owner login createrole password :owner;
create role payments_api login in role svc_api password :api;
create role payments_daemon login in role svc_daemon password :indexer;
create role payments_ponder login in role svc_ponder role payments_daemon password :ponder;
create role payments_operator login in role svc_operator password :operator;
create database payments owner payments_owner;
\ir catalog-rights.sql
