-- Whether the payer's own key has signed; otherwise the payer's contract approves the signature. Each kind has a circuit
-- breaker of its own: contracts that revert, which a stranger can deploy, must not stop what keys have signed. Earlier rows
-- count as signed by keys, and so does what the build before this one inserts beside it. Blocks nobody: the default is
-- constant.
alter table authorizations add column is_signed_by_key boolean not null default true;

-- Whether a charge can be paid by signature.
grant select (is_signed_by_key) on authorizations to svc_api;
