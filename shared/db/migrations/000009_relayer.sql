-- The transactions that we sign, for payouts, held shares, escrow orders and payments by signature.

-- One row per relayer and chain; its lock keeps nonces unique between daemons.
create table relayers (
  chain_id   bigint not null references deployments,
  address    text not null,
  next_nonce bigint not null,
  primary key (chain_id, address)
);

-- Nonce and signed bytes are committed before the first broadcast. Until the transaction is final, only these bytes, or
-- a replacement at the same nonce, are sent. On chains without nonces (TRON), a transaction is identified by the hash
-- of its bytes, and expires. The same bytes are sent until a final block is past the expiration, and only then may
-- another transaction be signed for the same purpose.
create table relayer_transactions (
  tx_hash           text primary key,
  chain_id          bigint not null,
  relayer           text not null,
  nonce             bigint,
  payout_id         bigint references payouts,
  held_share_id     bigint references held_shares,
  raw_transaction   text not null,
  max_fee_per_gas   numeric(78, 0),
  -- A transaction that must not or cannot be mined any longer is replaced by an empty transfer to ourselves, which only
  -- uses its nonce. The empty transfer moves no money, so its success is reported as `reverted`: the purpose was not
  -- fulfilled.
  is_cancellation   boolean not null default false,
  valid_until       timestamptz, -- if mined later, it would act against the signer's will
  status            text not null default 'signed'
                    check (status in ('signed', 'mined', 'reverted', 'final', 'replaced', 'expired')),
  created_at        timestamptz not null default now(),
  last_broadcast_at timestamptz,
  rejected_since    timestamptz, -- time since which every responding node has rejected it; null: not rejected
  block_number      bigint,
  -- When a quorum last showed the transaction's result at depth. A successful transaction whose event is never applied
  -- blocks its payout, so its result is read again some time after it was resolved. Null: not yet.
  examined_at       timestamptz,
  foreign key (chain_id, relayer) references relayers,
  -- A transaction without a nonce expires, and is neither replaced nor emptied. Its fee limit is in its bytes. It is
  -- searched for only in final blocks, so it is never `mined` before it is at depth.
  constraint relayer_transactions_nonce_or_expiration check (
    case when nonce is null
      then valid_until is not null and max_fee_per_gas is null and not is_cancellation and status not in ('mined', 'replaced')
        and (payout_id is null) <> (held_share_id is null)
      else max_fee_per_gas is not null and status <> 'expired'
    end)
);

create unique index relayer_transactions_one_per_nonce on relayer_transactions (chain_id, relayer, nonce)
  where status <> 'replaced';
-- Without nonces the chain could mine two transactions for one purpose, so only one of them may be open.
create unique index relayer_transactions_one_open_per_payout on relayer_transactions (payout_id)
  where nonce is null and status = 'signed';
create unique index relayer_transactions_one_open_per_held_share on relayer_transactions (held_share_id)
  where nonce is null and status = 'signed';
create index relayer_transactions_expiring on relayer_transactions (chain_id, relayer, created_at)
  where nonce is null and status = 'signed';
create index relayer_transactions_open on relayer_transactions (chain_id, relayer, nonce)
  where status in ('signed', 'mined');
create index relayer_transactions_replaced on relayer_transactions (chain_id, relayer, nonce)
  where status = 'replaced';
create index relayer_transactions_of_payout on relayer_transactions (payout_id, created_at);
create index relayer_transactions_of_held_share on relayer_transactions (held_share_id)
  where held_share_id is not null;

grant select on relayers, relayer_transactions to svc_operator;
grant select, insert on relayers, relayer_transactions to svc_daemon;
-- Signed bytes never change.
grant update (next_nonce) on relayers to svc_daemon;
grant update (status, created_at, last_broadcast_at, block_number, rejected_since, examined_at) on relayer_transactions
  to svc_daemon;
