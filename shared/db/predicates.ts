import type { Fragment } from 'postgres'
import type { AttoDollars } from '../domain/money.ts'
import type { Db } from './connect.ts'

/*
 * Conditions and amounts in SQL. Each must equal its counterpart in shared/domain;
 * test/integration/db/predicates.test.ts compares them on generated rows.
 */

/**
 * Returns the condition that a charge of this status is open; see `isOpen` in `shared/domain/charge.ts`. Partial
 * indexes repeat the list of statuses.
 */
export function isOpen(db: Db, status: Fragment): Fragment {
  return db`${status} in ('pending', 'partially_paid')`
}

/**
 * Returns the condition that a recipient is the merchant of its charge `c`; see `findMerchant` in
 * `shared/domain/charge.ts`.
 */
export function isMerchantRecipient(db: Db, recipient: Fragment): Fragment {
  return db`c.split_terms -> 'recipients' ->> 0 = ${recipient}
    and not c.split_recipients::jsonb @> jsonb_build_array(jsonb_build_object('address', ${recipient}))`
}

/**
 * Returns SQL for the amount that the split of a ledger row `l` still owes; see `getOwed` in `shared/domain/owed.ts`.
 */
export function owedAtomic(db: Db): Fragment {
  return db`greatest(l.payable_atomic - l.distributed_atomic, 0)`
}

/** Returns the condition that an amount of the token `t` is dust; see `isDust` in `shared/domain/minimum-payout.ts`. */
export function isDust(db: Db, amountAtomic: Fragment, minimumAtto: AttoDollars): Fragment {
  return db`${amountAtomic} * (10::numeric ^ (18 - t.decimals)) < ${db.types.numeric(minimumAtto)}`
}

/**
 * Returns the condition that an amount is dust relative to the `amount` of the charge `c`; see `isEscrowDust` in
 * `shared/domain/escrow-end.ts`.
 */
export function isEscrowDust(db: Db, creditedAtto: Fragment): Fragment {
  return db`${creditedAtto} * 100 < c.amount_micro * 10::numeric ^ 12`
}
