import type { Fragment } from 'postgres'
import type { AttoDollars } from '../domain/money.ts'
import type { Db } from './connect.ts'

/*
 * The laws that PostgreSQL decides by, each the same as one of shared/domain; test/integration/db/laws.test.ts compares
 * them on generated rows.
 */

/** That a charge of this status is open; see `isOpen` of `shared/domain/charge.ts`. The open ones' indexes say it too. */
export function isOpen(db: Db, status: Fragment): Fragment {
  return db`${status} in ('pending', 'partially_paid')`
}

/** That a recipient is the merchant of its charge `c`; see `merchantOf` of `shared/domain/charge.ts`. */
export function isMerchants(db: Db, recipient: Fragment): Fragment {
  return db`c.split_terms -> 'recipients' ->> 0 = ${recipient}
    and not c.split_recipients::jsonb @> jsonb_build_array(jsonb_build_object('address', ${recipient}))`
}

/** What the split of a ledger row `l` still owes; see `owedOf` of `shared/domain/owed-and-dust.ts`. */
export function owedAtomic(db: Db): Fragment {
  return db`greatest(l.payable_atomic - l.distributed_atomic, 0)`
}

/** That an amount of the token `t` is dust; see `isDust` of `shared/domain/owed-and-dust.ts`. */
export function isDust(db: Db, amountAtomic: Fragment, minimumAtto: AttoDollars): Fragment {
  return db`${amountAtomic} * (10::numeric ^ (18 - t.decimals)) < ${db.types.numeric(minimumAtto)}`
}

/** That an amount is dust beside the `amount` of the charge `c`; see `isEscrowDust` of `shared/domain/escrow-end.ts`. */
export function isEscrowDust(db: Db, creditedAtto: Fragment): Fragment {
  return db`${creditedAtto} * 100 < c.amount_micro * 10::numeric ^ 12`
}
