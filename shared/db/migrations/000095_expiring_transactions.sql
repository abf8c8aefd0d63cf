-- Transactions of chains without nonces (TRON): each is known by the hash of its bytes, and expires. The signed bytes are
-- committed before they are first sent, and the same bytes are sent again until their expiration lies in a block that
-- nothing takes back; only then may others be signed for the same purpose. Brief locks on an empty or small table.

alter table relayer_transactions
  alter column nonce drop not null,
  alter column max_fee_per_gas drop not null,
  drop constraint relayer_transactions_status_check,
  add constraint relayer_transactions_status_check
    check (status in ('signed', 'mined', 'reverted', 'final', 'replaced', 'expired')),
  -- Without a nonce it expires, and is neither replaced nor emptied; its fee limit stands in its bytes. It is looked for in
  -- solid blocks alone, so it is never `mined` and not yet deep.
  add constraint relayer_transactions_nonce_or_expiration check (
    case when nonce is null
      then valid_until is not null and max_fee_per_gas is null and not is_empty and status not in ('mined', 'replaced')
        and (payout_id is null) <> (held_share_id is null)
      else max_fee_per_gas is not null and status <> 'expired'
    end);

-- Never two live ones for one purpose: no nonce is there to let only one of them be mined.
create unique index relayer_transactions_one_live_of_payout on relayer_transactions (payout_id)
  where nonce is null and status = 'signed';
create unique index relayer_transactions_one_live_of_held_share on relayer_transactions (held_share_id)
  where nonce is null and status = 'signed';
create index relayer_transactions_expiring on relayer_transactions (chain_id, relayer, created_at)
  where nonce is null and status = 'signed';
