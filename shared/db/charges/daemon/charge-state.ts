import type { Hex } from '../../../domain/address.ts'
import type { ChargeStatus, SettlementStatus } from '../../../domain/charge.ts'
import type { AtomicUnits, AttoDollars } from '../../../domain/money.ts'
import type { Pair, PairContract } from '../../../domain/networks.ts'
import type { Db } from '../../connect.ts'
import { assignFrom, toColumns, toJsonRow, toRowSet } from '../../rows.ts'

/** The fields of a charge that a turn of its actor may change. */
export type ChargeState = {
  readonly id: string
  readonly status: ChargeStatus
  readonly settlementStatus: SettlementStatus | null
  readonly receivedAtto: AttoDollars | null
  readonly onTimeAtto: AttoDollars
  readonly overpaidAnnounced: boolean
  readonly paidWith: readonly string[]
  readonly confirmedAt: Date | null
  readonly settledAt: Date | null
  readonly lastActivityAt: Date
  readonly escrowReleasedAt: Date | null
  readonly escrowRefundedAt: Date | null
}

/**
 * The ledger of one pair of a charge, in the token's atomic units. The `…DustAtto` fields contain fractions of a unit.
 * Fractions occur because a system contract logs Arc's USDC transfers with 18 decimals instead of the token's 6
 * (decisions 8.2).
 */
export type PairLedger = Pair &
  PairContract & {
    readonly chargeId: string
    readonly creditedAtomic: AtomicUnits
    readonly creditedDustAtto: AttoDollars
    /** The part of the credited amount that must be paid out before the charge is settled; see `isSettled`. */
    readonly settlementAtomic: AtomicUnits
    readonly settlementDustAtto: AttoDollars
    /**
     * Amount that left the Safe of an escrow charge in transactions with the action `release`; `null` without escrow.
     * Written only for the previous build, which reads it during a deployment.
     */
    readonly withdrawnAtomic: AtomicUnits | null
    readonly withdrawnDustAtto: AttoDollars
    /** Amount that reached the split of an escrow charge; `null` without escrow, because payments go to the split. */
    readonly releasedAtomic: AtomicUnits | null
    readonly releasedDustAtto: AttoDollars
    readonly distributedAtomic: AtomicUnits
    readonly merchantHeldAtomic: AtomicUnits
  }

/** Updates charges that the caller has locked. */
export async function updateCharges(db: Db, states: readonly ChargeState[]): Promise<void> {
  await db`
    update charges c set ${assignFrom<ChargeState>(db, 's', STATE_FIELDS)} from ${toRowSet(db, 'charges', { rows: states })} s
    where c.id = s.id`
}

const STATE_FIELDS = [
  ...(['status', 'settlementStatus', 'receivedAtto', 'onTimeAtto', 'overpaidAnnounced', 'paidWith'] as const),
  ...(['confirmedAt', 'settledAt', 'lastActivityAt', 'escrowReleasedAt', 'escrowRefundedAt'] as const),
]

/** Lists the pair ledgers of charges that the caller has locked. */
export async function listPairLedgers(db: Db, chargeIds: readonly string[]): Promise<readonly PairLedger[]> {
  return db<PairLedger[]>`
    select l.charge_id, l.network, l.token, l.chain_id, l.token_address, p.decimals, l.credited_atomic,
      l.settlement_atomic, coalesce(l.withdrawn_atomic, l.released_atomic) as withdrawn_atomic, l.released_atomic,
      l.distributed_atomic, l.merchant_held_atomic, l.credited_dust_atto, l.settlement_dust_atto, l.withdrawn_dust_atto,
      l.released_dust_atto
    from charge_ledgers l join pairs p on p.chain_id = l.chain_id and p.token_address = l.token_address
    where l.charge_id = any (${chargeIds})`
}

/** Writes pair ledgers of charges that the caller has locked. */
export async function upsertPairLedgers(db: Db, ledgers: readonly PairLedger[]): Promise<void> {
  const columns = toColumns<PairLedger>([
    ...(['chargeId', 'network', 'token', 'chainId', 'tokenAddress'] as const),
    ...LEDGER_AMOUNTS,
  ])
  await db`
    insert into charge_ledgers (${db(columns)})
    select ${db(columns)} from ${toRowSet(db, 'charge_ledgers', { rows: ledgers })} r
    on conflict (charge_id, network, token) do update set ${assignFrom<PairLedger>(db, 'excluded', LEDGER_AMOUNTS)}`
}

const LEDGER_AMOUNTS = [
  ...([
    'creditedAtomic',
    'settlementAtomic',
    'withdrawnAtomic',
    'releasedAtomic',
    'distributedAtomic',
  ] as const),
  ...(['merchantHeldAtomic', 'creditedDustAtto', 'settlementDustAtto', 'withdrawnDustAtto'] as const),
  'releasedDustAtto' as const,
]

/** A split event, and whether it is now announced and counted. */
export type ProcessedSplitEvent = {
  readonly id: number
  /** Block of the event when it was read. */
  readonly blockHash: Hex
  /** Amount of the event when it was read. */
  readonly amountAtomic: AtomicUnits
  readonly isAnnounced: boolean
  readonly isApplied: boolean
}

/**
 * Marks split events as announced and counted, or removes the marks. The caller must have locked the charges. An event
 * is counted only if it is still included in the same block with the same amount. Other changes need no such check,
 * because the inbox lists a moved event again.
 *
 * @returns the number of updated events; fewer than given if the chain feed has changed an event since it was read
 */
export async function markSplitEvents(
  db: Db,
  events: readonly ProcessedSplitEvent[],
  now: Date,
): Promise<number> {
  const { count } = await db`
    update split_events e set
      notified_at = case when s."isAnnounced" then coalesce(e.notified_at, ${now}) end,
      applied_at = case when s."isApplied" then ${now}::timestamptz end
    from jsonb_to_recordset(${db.json(events.map(toJsonRow))}) as s (id int8, "blockHash" text, "amountAtomic" numeric,
      "isAnnounced" boolean, "isApplied" boolean)
    where e.id = s.id and (not s."isApplied"
      or (e.inclusion = 'included' and e.block_hash = s."blockHash" and e.amount_atomic = s."amountAtomic"))`
  return count
}
