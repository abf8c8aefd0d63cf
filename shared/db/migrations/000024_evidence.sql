-- Proofs that the receipt of a counted transaction is in its block (docs/evidence.md). A new table, so no writer is
-- blocked.
--
-- The row of a transaction is inserted in the transaction that counts its first log, and the daemon completes it soon
-- afterwards, because nodes may delete old receipts. Logs that counted before this release have no row.
create table receipt_proofs (
  chain_id          bigint not null references deployments,
  tx_hash           text not null,
  block_hash        text not null,
  attempts          int not null default 0,
  -- Time of the next attempt. An attempt moves it before it queries a node, so that a killed daemon costs one interval.
  due_at            timestamptz not null default now(),
  -- Why there is no proof. Before `finished_at` it is the failure of the last attempt.
  reason            text check (reason in
                      ('not_committed', 'block_not_served', 'unknown_header', 'unknown_receipts', 'too_large')),
  transaction_index int,
  -- The index in the block of the receipt's first log; the rows of logs have the index in the block.
  first_log_index   int,
  -- RLP as 0x and hex digits; its keccak256 is the block's hash.
  header            text check (header ~ '^0x[0-9a-f]+$' and length(header) <= 131074),
  nodes             text[], -- nodes of the receipts trie likewise, from the root to the leaf with the receipt
  -- Characters of header and nodes, for the size of pages. The stored size can be far smaller, because it is compressed.
  proof_bytes       int check (proof_bytes between 1 and 600000),
  finished_at       timestamptz,
  primary key (chain_id, tx_hash, block_hash),
  check ((header is null) = (nodes is null) and (header is null) = (transaction_index is null)
         and (header is null) = (first_log_index is null) and (header is null) = (proof_bytes is null)),
  check (header is null or (reason is null and finished_at is not null)),
  check (finished_at is null or header is not null or reason is not null)
);

create index receipt_proofs_due on receipt_proofs (chain_id, due_at) where finished_at is null;

grant select on receipt_proofs to svc_api;
grant select, insert on receipt_proofs to svc_daemon;
grant update (attempts, due_at, reason, transaction_index, first_log_index, header, nodes, proof_bytes,
    finished_at)
  on receipt_proofs to svc_daemon;
