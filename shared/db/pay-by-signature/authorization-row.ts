import type { Hex } from '../../domain/address.ts'
import type { AuthorizationStatus } from '../../domain/eip3009/authorization-status.ts'
import type { AtomicUnits } from '../../domain/money.ts'
import type { Db } from '../connect.ts'
import type { AuthorizationKey } from './authorization-requests.ts'

/** An accepted authorization. */
export type StoredAuthorization = {
  readonly chargeId: string
  readonly valueAtomic: AtomicUnits
  readonly status: AuthorizationStatus
  /** Transaction that currently executes the authorization; `null` if there is none. */
  readonly txHash: Hex | null
}

/** Finds an accepted authorization of any charge. */
export async function findAuthorization(
  db: Db,
  { chainId, token, payer, nonce }: AuthorizationKey,
): Promise<StoredAuthorization | null> {
  const [row] = await db<StoredAuthorization[]>`
    select charge_id, value_atomic, status, tx_hash from authorizations
    where chain_id = ${chainId} and token_address = ${token} and payer = ${payer} and nonce = ${nonce}`
  return row ?? null
}

/**
 * Returns SQL for the latest accepted authorization of a charge `c` as a column: JSON of `PresentedAuthorization`; null
 * if there is none.
 */
export function latestAuthorization(db: Db) {
  return db`
    (select json_build_object('status', a.status, 'txHash', a.tx_hash, 'token', p.token, 'network', p.network,
       'payer', a.payer)
     from authorizations a
     join pairs p on p.chain_id = a.chain_id and p.token_address = a.token_address
     where a.charge_id = c.id order by a.id desc limit 1)`
}

/**
 * Returns the condition that our rows contain the transfer of an authorization `a`: in its recorded transaction, from
 * its payer, to its charge, with its token and value. If only the transaction hash were compared, a lying node could
 * present any transfer to the charge as this one.
 */
export function isTransferRecorded(db: Db) {
  return db`
    exists (
      select from transfers t
      join pairs p on p.chain_id = t.chain_id and p.token_address = t.token_address
      where t.charge_id = a.charge_id and t.chain_id = a.chain_id and t.tx_hash = a.tx_hash
        and t.token_address = a.token_address and t.sender = a.payer and t.inclusion <> 'orphaned'
        -- Compared in dollars, because the amount in a log may have other decimals than the signed value.
        and t.amount_atto = a.value_atomic * 10::numeric ^ (18 - p.decimals))`
}
