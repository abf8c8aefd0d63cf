import type { Address, Hex } from '../../../domain/address.ts'
import type { EscrowAction } from '../../../domain/escrow-action.ts'
import type { AtomicUnits, AttoDollars } from '../../../domain/money.ts'
import type { Pair, PairContract } from '../../../domain/networks.ts'
import { atDepth } from '../../chain-facts/daemon/at-depth.ts'
import type { Db } from '../../connect.ts'
import { toRowSet } from '../../rows.ts'

/** An escrow transfer at confirmation depth that its charge has not processed yet. */
export type DueEscrowTransfer = Pair &
  PairContract & {
    readonly id: number
    readonly chargeId: string
    readonly action: EscrowAction
    readonly recipient: Address
    readonly amountAtomic: AtomicUnits
    /** The part of the amount below one unit of the token, in 10⁻¹⁸ dollars. */
    readonly dustAtto: AttoDollars
    /**
     * Whether the transfer went into the split, which can only distribute the money, regardless of the transaction's
     * other transfers.
     */
    readonly isIntoSplit: boolean
    /** The block that contained the transfer when it was read. */
    readonly blockHash: Hex
  }

/** Maximum escrow transfers read per turn. Further transfers wait for later turns. */
const MOVEMENTS_PER_TURN = 1_000

/** Lists unprocessed escrow transfers of these charges at confirmation depth, in the order in which they were mined. */
export async function listDueEscrowTransfers(
  db: Db,
  chargeIds: readonly string[],
): Promise<readonly DueEscrowTransfer[]> {
  return db<DueEscrowTransfer[]>`
    select m.id, m.charge_id, m.action, d.network, p.token, m.chain_id, m.token_address, p.decimals, m.recipient,
      m.amount_atomic, m.dust_atto, m.block_hash, m.recipient = c.split_address as is_into_split
    from escrow_transfers m
    join charges c on c.id = m.charge_id
    join deployments d on d.chain_id = m.chain_id
    join pairs p on p.chain_id = m.chain_id and p.token_address = m.token_address
    where m.charge_id = any (${chargeIds}) and ${isDue(db)}
    order by m.block_timestamp, m.log_index, m.id limit ${MOVEMENTS_PER_TURN}`
}

/**
 * Returns a query of one column: the charges with due escrow transfers, possibly with duplicates. Excludes quarantined
 * charges and the charges in `except`.
 */
export function listChargesWithEscrowTransfers(
  db: Db,
  { limit, except }: { readonly limit: number; readonly except: readonly string[] },
) {
  return db`
    select m.charge_id from escrow_transfers m join deployments d on d.chain_id = m.chain_id
    join charges c on c.id = m.charge_id and c.quarantined_at is null
    where ${isDue(db)} and m.charge_id <> all (${except}) order by m.id limit ${limit}`
}

/** A processed escrow transfer, with the block and the values that its charge counted. */
export type AppliedEscrowTransfer = Pick<
  DueEscrowTransfer,
  'id' | 'blockHash' | 'action' | 'recipient' | 'amountAtomic' | 'dustAtto'
>

/**
 * Marks as processed those of these escrow transfers that still have the block and the values that were read.
 *
 * @returns the number of marked transfers; if it is below the number given, the chain feed has changed a transfer, and
 * the turn must be repeated
 */
export async function markEscrowTransfersApplied(
  db: Db,
  movements: readonly AppliedEscrowTransfer[],
  now: Date,
): Promise<number> {
  if (movements.length === 0) return 0
  const { count } = await db`
    update escrow_transfers m set applied_at = ${now}
    from ${toRowSet(db, 'escrow_transfers', { rows: movements })} t
    where m.id = t.id and m.block_hash = t.block_hash and m.action = t.action and m.recipient = t.recipient
      and m.amount_atomic = t.amount_atomic and m.dust_atto = t.dust_atto
      and m.applied_at is null and m.inclusion = 'included'`
  return count
}

function isDue(db: Db) {
  return db`
    m.applied_at is null and m.inclusion = 'included' and ${atDepth(db, 'm')}`
}
