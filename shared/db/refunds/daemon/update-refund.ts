import type { Address, Hex } from '../../../domain/address.ts'
import type { AtomicUnits } from '../../../domain/money.ts'
import type { RefundStatus } from '../../../domain/refund/refund.ts'
import type { Db } from '../../connect.ts'

/** The transfer of a refund, and the nodes that show it. */
export type RefundTransferRow = {
  readonly txHash: Hex
  /** Position among equal transfers of the transaction. */
  readonly ordinal: number
  readonly blockNumber: number
  readonly blockHash: Hex
  /** Unix seconds. */
  readonly blockTimestamp: number
  readonly agreedBy: readonly string[]
}

export type RefundState = { readonly [Key in keyof RefundTransferRow]: RefundTransferRow[Key] | null } & {
  readonly status: RefundStatus
  /** `null` until the merchant has approved the payer's address. */
  readonly destination: Address | null
  /** The transfer must be in a later block. `null` without a destination, and in the sandbox. */
  readonly afterBlock: number | null
  readonly countedAtomic: AtomicUnits | null
  readonly seenAt: Date | null
  readonly confirmedAt: Date | null
  readonly canceledAt: Date | null
  readonly expiredAt: Date | null
}

/** Reads the mutable columns of a refund that the caller has locked; `null` if it does not exist. */
export async function readRefundState(db: Db, id: string): Promise<RefundState | null> {
  const [row] = await db<RefundState[]>`
    select status, destination, after_block, tx_hash, ordinal, block_number, block_hash, block_timestamp, agreed_by, counted_atomic, seen_at,
      confirmed_at, canceled_at, expired_at
    from refunds where id = ${id}`
  return row ?? null
}

/**
 * Updates the mutable columns of a refund that the caller has locked. If the refund is confirmed and not simulated, its
 * transfer is read again ten minutes later.
 */
export async function updateRefund(db: Db, id: string, state: RefundState): Promise<void> {
  const { countedAtomic, agreedBy, afterBlock } = state
  await db`
    update refunds set status = ${state.status}, destination = ${state.destination}, after_block = ${afterBlock},
      scanned_block = coalesce(scanned_block, ${afterBlock}::bigint), tx_hash = ${state.txHash}, ordinal = ${state.ordinal},
      block_number = ${state.blockNumber}, block_hash = ${state.blockHash}, block_timestamp = ${state.blockTimestamp},
      agreed_by = ${agreedBy === null ? null : [...agreedBy]},
      counted_atomic = ${countedAtomic === null ? null : db.types.numeric(countedAtomic)},
      seen_at = ${state.seenAt}, confirmed_at = ${state.confirmedAt}, canceled_at = ${state.canceledAt},
      expired_at = ${state.expiredAt},
      verify_at = case when ${state.status} = 'confirmed' and chain_id is not null then now() + interval '10 minutes' end
    where id = ${id}`
}

/** Counts the confirmed refunds whose counted amount is below their amount. */
export async function countRefundsInPart(db: Db): Promise<number> {
  const [row] = await db<[{ count: number }]>`
    select count(*)::int as count from refunds where counted_atomic < amount_atomic`
  return row.count
}

/**
 * Returns, by chain, the age in seconds of the oldest block that was not yet read twice for a refund that awaits its
 * transfer. The age is calculated from the chain's block time. If more time has passed since the earliest deadline of
 * such a refund, returns that time instead, because the recorded head of a chain that no daemon reads does not advance.
 */
export async function readUnreadAges(db: Db): Promise<ReadonlyMap<number, number>> {
  return toMap(
    await db<ChainAge[]>`
    select r.chain_id, greatest(0, max(d.confirmed_head_number - least(r.scanned_block,
        coalesce(r.reread_block, r.after_block))) * max(d.block_time_ms) / 1000.0,
      extract(epoch from now() - min(r.expires_at)))::float8 as seconds
    from refunds r join deployments d on d.chain_id = r.chain_id
    where r.status = 'awaiting_payment' and d.abandoned_at is null
    group by r.chain_id`,
  )
}

/** Returns, by chain, the seconds since the oldest refund that awaits confirmation was seen. */
export async function readSeenAges(db: Db): Promise<ReadonlyMap<number, number>> {
  return toMap(
    await db<ChainAge[]>`
    select r.chain_id, extract(epoch from now() - min(r.seen_at))::float8 as seconds
    from refunds r where r.status = 'seen' group by r.chain_id`,
  )
}

type ChainAge = { readonly chainId: number; readonly seconds: number }

function toMap(ages: readonly ChainAge[]): ReadonlyMap<number, number> {
  return new Map(ages.map(({ chainId, seconds }) => [chainId, seconds]))
}

/** Counts the refunds that wait for their transfer or its confirmation. */
export async function countOpenRefunds(db: Db): Promise<number> {
  const [row] = await db<[{ count: number }]>`
    select count(*)::int as count from refunds where status in ('awaiting_payment', 'seen')`
  return row.count
}
