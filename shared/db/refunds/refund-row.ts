import type { Fragment } from 'postgres'
import type { Address, Hex } from '../../domain/address.ts'
import { atto } from '../../domain/money.ts'
import type { Network, Token } from '../../domain/networks.ts'
import type { ChargeRefund, RefundClaim, RefundRecord, RefundStatus } from '../../domain/refund/refund.ts'
import type { Db } from '../connect.ts'

/** Returns the select list of a refund `r`; one row is a `StoredRefund`. */
export function refundColumns(db: Db) {
  return db`
    r.id, r.charge_id, r.family, r.status, r.amount_atomic, r.counted_atomic, r.decimals, r.network, r.token, r.chain_id,
    r.token_address, r.sender, r.destination, r.reason, r.tx_hash, r.created_at, r.expires_at, r.confirmed_at,
    (select json_build_object('destination', k.destination, 'signer', k.signer, 'claimedAt', k.claimed_at)
     from refund_claims k where k.refund_id = r.id and k.decision is distinct from 'rejected') as claim`
}

/** A refund as the database returns it, with the time of the claim as text. */
export type StoredRefund = Omit<RefundRecord, 'claim'> & {
  readonly claim: (Omit<RefundClaim, 'claimedAt'> & { readonly claimedAt: string }) | null
}

export function toRefund({ claim, ...rest }: StoredRefund): RefundRecord {
  return { ...rest, claim: claim === null ? null : { ...claim, claimedAt: new Date(claim.claimedAt) } }
}

/** Selects the open and confirmed refunds of a charge `c`, oldest first, as JSON of `StoredChargeRefund[]`. */
export function selectChargeRefunds(db: Db) {
  const inAtto = (units: Fragment) => db`trunc(${units} * 10::numeric ^ (18 - r.decimals))::text`
  return db`
    (select coalesce(json_agg(json_build_object('id', r.id, 'status', r.status, 'token', r.token, 'network', r.network,
       'amountAtto', ${inAtto(db`r.amount_atomic`)}, 'countedAtto', ${inAtto(db`coalesce(r.counted_atomic, 0)`)},
       'destination', r.destination, 'txHash', r.tx_hash) order by r.id), '[]')
     from refunds r where r.charge_id = c.id and r.status not in ('canceled', 'expired'))`
}

/** A refund in the column of `selectChargeRefunds`. Amounts are text, because JSON numbers lose digits. */
export type StoredChargeRefund = {
  readonly id: string
  readonly status: RefundStatus
  readonly token: Token
  readonly network: Network
  readonly amountAtto: string
  readonly countedAtto: string
  readonly destination: Address | null
  readonly txHash: Hex | null
}

export function toChargeRefund({ amountAtto, countedAtto, ...rest }: StoredChargeRefund): ChargeRefund {
  return { ...rest, amountAtto: atto(BigInt(amountAtto)), countedAtto: atto(BigInt(countedAtto)) }
}

/**
 * Locks a refund and returns its current row; `null` if it does not exist. The caller must hold the lock of its charge.
 */
export async function lockRefund(db: Db, id: string): Promise<RefundRecord | null> {
  const [row] = await db<StoredRefund[]>`
    select ${refundColumns(db)} from refunds r where r.id = ${id} for no key update`
  return row === undefined ? null : toRefund(row)
}
