import type { Address } from '../../../domain/address.ts'
import type { RefundRecord } from '../../../domain/refund/refund.ts'
import type { Tenant } from '../../../domain/tenant.ts'
import type { Db } from '../../connect.ts'

/** A refund that passed all checks. */
export type NewRefund = Pick<
  RefundRecord,
  | ('id' | 'chargeId' | 'family' | 'network' | 'token' | 'chainId' | 'tokenAddress' | 'decimals' | 'sender')
  | ('destination' | 'amountAtomic' | 'reason' | 'createdAt' | 'expiresAt')
> & {
  readonly tenant: Tenant
  /** The transfer must be in a later block. `null` in the sandbox, and without a destination. */
  readonly afterBlock: number | null
  /** The hash of the secret in the payer's link; `null` if the merchant named the destination. */
  readonly claimHash: string | null
  readonly idempotencyKey: string
  /** Identifies the content of the request. */
  readonly requestHash: string
}

/**
 * Inserts a refund. The caller must hold the lock of its charge.
 *
 * @returns false if another refund of the organization with the same wallet, destination, token and amount awaits its
 * transfer or the confirmation of the transfer, even if that refund was canceled or had expired before
 */
export async function insertRefund(db: Db, refund: NewRefund): Promise<boolean> {
  const { tenant, afterBlock } = refund
  const rows = await db`
    insert into refunds (id, charge_id, organization_id, environment, family, network, token, chain_id, token_address,
      decimals, status, sender, destination, claim_hash, amount_atomic, after_block, scanned_block, reason, idempotency_key,
      request_hash, created_at, expires_at)
    select ${refund.id}, ${refund.chargeId}, ${tenant.organizationId}, ${tenant.environment}, ${refund.family},
      ${refund.network}, ${refund.token}, ${refund.chainId}, ${refund.tokenAddress}, ${refund.decimals},
      ${refund.destination === null ? 'awaiting_destination' : 'awaiting_payment'}, ${refund.sender}, ${refund.destination},
      ${refund.claimHash}, ${db.types.numeric(refund.amountAtomic)}, ${afterBlock}, ${afterBlock},
      ${refund.reason}, ${refund.idempotencyKey}, ${refund.requestHash}, ${refund.createdAt}, ${refund.expiresAt}
    where not exists (
      select from refunds o
      where o.organization_id = ${tenant.organizationId} and o.environment = ${tenant.environment}
        and o.chain_id = ${refund.chainId} and o.token_address = ${refund.tokenAddress} and o.sender = ${refund.sender}
        and o.destination = ${refund.destination} and o.amount_atomic = ${db.types.numeric(refund.amountAtomic)}
        and o.status = 'seen')
    on conflict do nothing returning id`
  return rows.length > 0
}

/** Finds the refund of a charge that was declared with this idempotency key; `null` if there is none. */
export async function findDeclaredRefund(
  db: Db,
  { chargeId, idempotencyKey }: { readonly chargeId: string; readonly idempotencyKey: string },
): Promise<{ readonly id: string; readonly requestHash: string } | null> {
  const [row] = await db<{ id: string; requestHash: string }[]>`
    select id, request_hash from refunds where charge_id = ${chargeId} and idempotency_key = ${idempotencyKey}`
  return row ?? null
}

/** Counts the refunds of a charge that were canceled or have expired. */
export async function countEndedRefunds(db: Db, chargeId: string): Promise<number> {
  const [row] = await db<[{ count: number }]>`
    select count(*)::int as count from refunds where charge_id = ${chargeId} and status in ('canceled', 'expired')`
  return row.count
}

/** Returns whether an address is a payout recipient of the organization that is not revoked. */
export async function isPayoutRecipient(
  db: Db,
  { organizationId, environment, address }: Tenant & { readonly address: Address },
): Promise<boolean> {
  const rows = await db`
    select from recipients
    where organization_id = ${organizationId} and environment = ${environment} and address = ${address}
      and payout and revoked_at is null`
  return rows.length > 0
}
