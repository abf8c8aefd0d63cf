import type { Db } from '../connect.ts'

/**
 * Returns the condition that the escrow of a charge `c` is rehearsed: no part of it is on a chain, so no transaction is
 * broadcast for it. This applies to a simulated charge, and to a test charge on a configured testnet that has credits,
 * all of them from the sandbox (decisions 2.1).
 */
export function isRehearsed(db: Db) {
  return db`(c.is_simulated or (c.environment = 'test'
    and exists (select from transfers s where s.charge_id = c.id and s.credited_at is not null and s.chain_id is null)
    and not exists (
      select from transfers s where s.charge_id = c.id and s.credited_at is not null and s.chain_id is not null)))`
}
