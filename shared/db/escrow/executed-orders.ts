import type { Db } from '../connect.ts'

/**
 * Returns the condition that the escrow transfers `t` of one transaction execute the order `o`: their sum is the signed
 * amount, at least one of them went to the signed destination, and their block is above the head at which the order was
 * created. A token that charges its sender a fee causes several transfers.
 */
export function doesTheOrder(db: Db) {
  return db`sum(t.amount_atomic) = o.amount_atomic and bool_or(t.recipient = o.destination)
    and min(t.block_number) > coalesce(o.after_block, -1)`
}

/**
 * Returns the condition that an order `o` is open: it has neither reverted nor failed, and its transfer is not counted
 * yet. If an order moved only dust, the escrow does not end, and the next order may follow.
 */
export function isOrderOpen(db: Db) {
  return db`(o.status in ('signed', 'mined', 'final') and not exists (
    select from escrow_transfers t
    where t.charge_id = o.charge_id and t.chain_id = o.chain_id and t.token_address = o.token_address
      and t.applied_at is not null
    group by t.tx_hash having ${doesTheOrder(db)}))`
}
