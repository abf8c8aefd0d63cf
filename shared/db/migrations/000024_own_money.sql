-- A charge's own money, come back from its split or its Safe, is no payment; and what leaves a Safe is judged by the
-- transaction. Blocks writers of both tables while each is read once. The build before this one may run beside it: it
-- names no reason, and what it releases counts as far as it reached the split.
alter table transfers
  add column refusal text check (refusal in ('pair_not_accepted', 'own_money')), -- why it is never credited
  add check (refusal is null or not accepted);
update transfers set refusal = 'pair_not_accepted' where not accepted;

-- Of the transactions that are releases, all that left the Safe: a token's own fee too, which never reaches the split.
-- `released_atomic` is what did reach it, by whatever transaction. Null: no escrow.
alter table charge_pairs add column left_safe_atomic numeric(78, 0) check (left_safe_atomic >= 0);
update charge_pairs set left_safe_atomic = released_atomic where released_atomic is not null;
