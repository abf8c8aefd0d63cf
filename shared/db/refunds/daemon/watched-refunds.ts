import type { Address, Hex } from '../../../domain/address.ts'
import type { AtomicUnits } from '../../../domain/money.ts'
import type { RefundStatus } from '../../../domain/refund/refund.ts'
import type { Db } from '../../connect.ts'

/** A refund whose transfer might still be found on its chain. */
export type WatchedRefund = {
  readonly id: string
  readonly chargeId: string
  readonly status: Exclude<RefundStatus, 'confirmed'>
  readonly tokenAddress: Address
  readonly sender: Address
  readonly destination: Address
  readonly amountAtomic: AtomicUnits
  readonly afterBlock: number
  /** The block up to which a quorum has listed the transfers. */
  readonly scannedBlock: number
  /** The block up to which a quorum has listed the transfers a second time. */
  readonly rereadBlock: number
  /** Whether the deadline has passed without a transfer. */
  readonly isDue: boolean
  /** The transfer that was seen, and its block. */
  readonly txHash: Hex | null
  readonly blockNumber: number | null
}

/** Days for which an ended refund is still watched after its deadline. */
const WATCHED_DAYS = 7

/** Maximum refunds listed by status: awaiting payment (`open`), seen, and canceled or expired (`ended`). */
export type WatchedLimits = { readonly open: number; readonly seen: number; readonly ended: number }

/**
 * Lists the refunds of a chain whose transfer might still be found. Open and ended refunds are each ordered by scanned
 * block, lowest first. Seen refunds are in random order; otherwise refunds that contradicting nodes block would always
 * come first. The separate limits ensure that ended or seen refunds do not delay the open refunds.
 *
 * An open refund is listed until it has expired, which might be long after its deadline.
 */
export async function listWatchedRefunds(
  db: Db,
  { chainId, limits }: { readonly chainId: number; readonly limits: WatchedLimits },
): Promise<readonly WatchedRefund[]> {
  return db<WatchedRefund[]>`
    (select ${watchedColumns(db)} from refunds r
      where r.chain_id = ${chainId} and r.status = 'awaiting_payment'
      order by r.scanned_block, r.id limit ${limits.open})
    union all
    (select ${watchedColumns(db)} from refunds r
      where r.chain_id = ${chainId} and r.status = 'seen'
      order by random() limit ${limits.seen})
    union all
    (select ${watchedColumns(db)} from refunds r
      where r.chain_id = ${chainId} and r.status in ('canceled', 'expired') and r.destination is not null
        and r.expires_at > now() - make_interval(days => ${WATCHED_DAYS})
      order by r.scanned_block, r.id limit ${limits.ended})`
}

/**
 * Finds a refund whose transfer might still be found, at any age; `null` if it does not exist, is confirmed or
 * simulated, or has no destination.
 */
export async function findWatchedRefund(db: Db, id: string): Promise<WatchedRefund | null> {
  const [row] = await db<WatchedRefund[]>`
    select ${watchedColumns(db)} from refunds r
    where r.id = ${id} and r.chain_id is not null and r.destination is not null and r.status <> 'confirmed'`
  return row ?? null
}

function watchedColumns(db: Db) {
  return db`r.id, r.charge_id, r.status, r.token_address, r.sender, r.destination, r.amount_atomic, r.after_block,
    r.scanned_block, coalesce(r.reread_block, r.after_block) as reread_block, r.tx_hash, r.block_number,
    r.status = 'awaiting_payment' and r.expires_at <= now() as is_due`
}

/** Records that a quorum has listed the transfers of these refunds up to a block. */
export async function markRefundsScanned(
  db: Db,
  { ids, block }: { readonly ids: readonly string[]; readonly block: number },
): Promise<void> {
  await db`update refunds set scanned_block = ${block} where id = any (${ids}) and scanned_block < ${block}`
}

/**
 * Records that a quorum has listed the transfers of these refunds a second time up to a block. `until` is the block's
 * time; `null` keeps the recorded time.
 */
export async function markRefundsReread(
  db: Db,
  {
    ids,
    block,
    until,
  }: { readonly ids: readonly string[]; readonly block: number; readonly until: Date | null },
): Promise<void> {
  await db`
    update refunds set reread_block = ${block}, reread_until = coalesce(${until}, reread_until)
    where id = any (${ids}) and coalesce(reread_block, after_block) < ${block}`
}

/**
 * Lists the ordinals of those equal transfers of a transaction that pay other refunds of the same organization. The
 * caller must hold the lock of the refund.
 */
export async function listTakenOrdinals(
  db: Db,
  { id, txHash }: { readonly id: string; readonly txHash: Hex },
): Promise<readonly number[]> {
  const rows = await db<{ ordinal: number }[]>`
    select o.ordinal from refunds r join refunds o on ${isTwin(db)} and o.tx_hash = ${txHash}
    where r.id = ${id}`
  return rows.map(({ ordinal }) => ordinal)
}

/**
 * Returns whether a transfer in this block pays another refund first. That refund must have the same wallet,
 * destination, token and amount, must have been declared before the block, and must not be confirmed, canceled or
 * expired.
 */
export async function hasOpenTwin(
  db: Db,
  { id, blockNumber }: { readonly id: string; readonly blockNumber: number },
): Promise<boolean> {
  const rows = await db`
    select from refunds r join refunds o on ${isTwin(db)} and o.status in ('awaiting_payment', 'seen')
      and o.canceled_at is null and o.expired_at is null and o.after_block < ${blockNumber}
    where r.id = ${id}`
  return rows.length > 0
}

/** Returns the condition that `o` and `r` are different refunds, and that the same transfers match both. */
function isTwin(db: Db) {
  return db`
    o.id <> r.id and o.organization_id = r.organization_id and o.environment = r.environment and o.chain_id = r.chain_id
    and o.token_address = r.token_address and o.sender = r.sender and o.destination = r.destination
    and o.amount_atomic = r.amount_atomic`
}

/**
 * Lists refunds whose deadline has passed without a transfer. The order is random, because refunds that cannot expire,
 * such as those of quarantined charges, would otherwise always come first.
 */
export async function listDueRefunds(
  db: Db,
  limit: number,
): Promise<readonly { readonly id: string; readonly chargeId: string }[]> {
  return db<{ id: string; chargeId: string }[]>`
    select r.id, r.charge_id from refunds r where ${isDue(db)}
    order by random() limit ${limit}`
}

/**
 * Returns whether the deadline of a refund has passed without a transfer. The caller must hold the lock of the refund.
 */
export async function isDueRefund(db: Db, id: string): Promise<boolean> {
  const rows = await db`select from refunds r where r.id = ${id} and ${isDue(db)}`
  return rows.length > 0
}

/**
 * Returns the condition that the deadline of a refund `r` has passed without a transfer. A block that was not read
 * twice might contain the transfer, so a block at or after the deadline must have been read twice. Only the clock
 * decides for simulated refunds and for refunds without a destination.
 */
function isDue(db: Db) {
  return db`
    r.status in ('awaiting_destination', 'awaiting_approval', 'awaiting_payment') and r.expires_at <= now()
      and (r.scanned_block is null or r.reread_until >= r.expires_at)`
}
