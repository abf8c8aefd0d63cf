import type { Address, Hex } from '../../../domain/address.ts'
import type { RefundRecord } from '../../../domain/refund/refund.ts'
import type { Db } from '../../connect.ts'

/** The address that a payer gave for a refund. */
export type NewClaim = {
  readonly refundId: string
  readonly destination: Address
  /** `null` without a signature. */
  readonly signed: { readonly signer: Address; readonly signature: Hex } | null
  readonly claimedAt: Date
}

/**
 * Inserts a claim. The caller must hold the lock of the refund.
 *
 * @returns false if the refund already has `max` claims
 */
export async function insertClaim(
  db: Db,
  { refundId, destination, signed, claimedAt }: NewClaim,
  max: number,
): Promise<boolean> {
  const rows = await db`
    insert into refund_claims (refund_id, number, destination, signer, signature, claimed_at)
    select ${refundId}, count(*) + 1, ${destination}, ${signed?.signer ?? null}, ${signed?.signature ?? null}, ${claimedAt}
    from refund_claims where refund_id = ${refundId} having count(*) < ${max}
    returning number`
  return rows.length > 0
}

/** Records the merchant's decision on the undecided claim of a refund. The caller must hold the lock of the refund. */
export async function decideClaim(
  db: Db,
  {
    refundId,
    decision,
    now,
  }: { readonly refundId: string; readonly decision: 'approved' | 'rejected'; readonly now: Date },
): Promise<void> {
  await db`
    update refund_claims set decision = ${decision}, decided_at = ${now}
    where refund_id = ${refundId} and decision is null`
}

/** Reads the hash of the secret in the payer's link; `null` if the refund has no link. */
export async function findClaimHash(db: Db, id: string): Promise<string | null> {
  const [row] = await db<{ claimHash: string | null }[]>`select claim_hash from refunds where id = ${id}`
  return row?.claimHash ?? null
}

/** Replaces the hash of the secret in the payer's link. The caller must hold the lock of the refund. */
export async function updateClaimHash(db: Db, id: string, claimHash: string): Promise<void> {
  await db`update refunds set claim_hash = ${claimHash} where id = ${id}`
}

export type Sent = Pick<RefundRecord, 'chargeId' | 'chainId' | 'tokenAddress' | 'amountAtomic'> & {
  readonly account: Address
  /** Only payments credited before this time count, because anyone can pay after the refund was declared. */
  readonly before: Date
}

/**
 * Returns whether an account's payments to a charge on a pair, credited before a time, add up to at least an amount.
 */
export async function isPayer(db: Db, { account, before, ...refund }: Sent): Promise<boolean> {
  const { chargeId, chainId, tokenAddress, amountAtomic } = refund
  const rows = await db`
    select from transfers t
    where t.charge_id = ${chargeId} and t.chain_id = ${chainId} and t.token_address = ${tokenAddress}
      and t.credited_at < ${before} and t.sender = ${account}
    having sum(t.value_atomic) >= ${db.types.numeric(amountAtomic)}`
  return rows.length > 0
}
