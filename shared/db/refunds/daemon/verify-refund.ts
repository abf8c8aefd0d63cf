import type { Address, Hex } from '../../../domain/address.ts'
import type { AtomicUnits } from '../../../domain/money.ts'
import type { Db } from '../../connect.ts'
import type { RefundTransferRow } from './update-refund.ts'

export type ConfirmedRefund = {
  readonly id: string
  readonly chargeId: string
  readonly tokenAddress: Address
  readonly sender: Address
  readonly destination: Address
  readonly amountAtomic: AtomicUnits
  readonly txHash: Hex
  readonly ordinal: number
  readonly blockNumber: number
  readonly isMissing: boolean
}

/** Lists the confirmed refunds of a chain whose transfers are due to be read again. */
export async function listRefundsToVerify(
  db: Db,
  { chainId, limit }: { readonly chainId: number; readonly limit: number },
): Promise<readonly ConfirmedRefund[]> {
  return db<ConfirmedRefund[]>`
    select r.id, r.charge_id, r.token_address, r.sender, r.destination, r.amount_atomic, r.tx_hash, r.ordinal,
      r.block_number, r.missing_since is not null as is_missing
    from refunds r where r.chain_id = ${chainId} and r.verify_at <= now() and r.status = 'confirmed'
    order by r.verify_at limit ${limit}`
}

/**
 * Records that the transfer of a confirmed refund was shown at confirmation depth. The transfer is read again when the
 * age of the confirmation has quadrupled, but not within ten minutes. If a quorum shows the transfer, it is no longer
 * read once the confirmation is two days old. If only a trusted node shows it, it is read at least once a day.
 */
export async function markRefundVerified(db: Db, id: string, transfer: RefundTransferRow): Promise<void> {
  const isByQuorum = !transfer.agreedBy.some((vote) => vote.startsWith('trusted:'))
  await db`
    update refunds set agreed_by = ${[...transfer.agreedBy]}, block_number = ${transfer.blockNumber},
      block_hash = ${transfer.blockHash}, block_timestamp = ${transfer.blockTimestamp}, missing_since = null,
      verify_at = case when not ${isByQuorum} then
          now() + least(interval '1 day', greatest(interval '10 minutes', (now() - confirmed_at) * 3))
        when confirmed_at < now() - interval '2 days' then null
        else now() + greatest(interval '10 minutes', (now() - confirmed_at) * 3) end
    where id = ${id} and status = 'confirmed'`
}

/**
 * Records that a quorum denies the transfer of a confirmed refund. The refund stays confirmed, and its transfer is read
 * again in an hour.
 */
export async function markRefundMissing(db: Db, id: string): Promise<void> {
  await db`
    update refunds set missing_since = coalesce(missing_since, now()), verify_at = now() + interval '1 hour'
    where id = ${id} and status = 'confirmed'`
}

/** Postpones the verification of a refund by ten minutes, because no quorum shows or denies its transfer. */
export async function postponeVerification(db: Db, id: string): Promise<void> {
  await db`update refunds set verify_at = now() + interval '10 minutes' where id = ${id} and status = 'confirmed'`
}

/** Counts the confirmed refunds whose transfer a quorum denies. */
export async function countMissingRefunds(db: Db): Promise<number> {
  const [row] = await db<[{ count: number }]>`
    select count(*)::int as count from refunds where missing_since is not null`
  return row.count
}
