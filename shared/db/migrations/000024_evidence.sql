-- Proofs that the receipt of a counted transaction is in its block (docs/evidence.md). A new table, so no writer is
-- blocked.
--
-- The row of a transaction is inserted in the transaction that counts its first log, and the daemon completes it soon
-- afterwards, because nodes may delete old receipts. The daemon also inserts the rows of logs that counted before this
-- release.
create table receipt_proofs (
  chain_id          bigint not null references deployments,
  tx_hash           text not null,
  block_hash        text not null,
  attempts          int not null default 0,
  -- Time of the next attempt. An attempt moves it before it queries a node, so that a killed daemon costs one interval.
  due_at            timestamptz not null default now(),
  -- Why there is no proof. Before `finished_at` it is the failure of the last attempt.
  reason            text check (reason in
                      ('not_committed', 'block_not_served', 'unknown_header', 'unknown_receipts', 'too_large', 'dust')),
  transaction_index int check (transaction_index >= 0),
  -- The index in the block of the receipt's first log; the rows of logs have the index in the block.
  first_log_index   int check (first_log_index >= 0),
  -- RLP of a list: the header, and the list of the nodes of the receipts trie from the root to the leaf. 128 KiB and the
  -- lengths; strangers choose the size of a receipt.
  proof             bytea check (octet_length(proof) between 1 and 131584),
  finished_at       timestamptz,
  primary key (chain_id, tx_hash, block_hash),
  check ((proof is null) = (transaction_index is null) and (proof is null) = (first_log_index is null)),
  check (proof is null or (reason is null and finished_at is not null)),
  check (finished_at is null or proof is not null or reason is not null)
);

create index receipt_proofs_due on receipt_proofs (chain_id, due_at) where finished_at is null;

grant select on receipt_proofs to svc_api;
grant select, insert on receipt_proofs to svc_daemon;
grant update (attempts, due_at, reason, transaction_index, first_log_index, proof, finished_at)
  on receipt_proofs to svc_daemon;
