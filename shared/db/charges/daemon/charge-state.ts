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
 * The ledger of one pair of a charge, in the token's atomic units. The parts of amounts below one unit are recorded
 * separately. Such parts occur because Arc's transfers of USDC are logged by a system contract, with 18 decimals
 * instead of the token's 6 (decisions 8.2).
 */
export type PairLedger = Pair &
  PairContract & {
    readonly chargeId: string
    readonly creditedAtomic: AtomicUnits
    readonly creditedDustAtto: AttoDollars
    /**
     * The part of the credited amount that decides the settlement: the credits that made the charge confirmed or
     * underpaid; see `isSettled`.
     */
    readonly settlementAtomic: AtomicUnits
    readonly settlementDustAtto: AttoDollars
    /**
     * Amount that left the Safe of an escrow charge in transactions that were releases, each judged alone; `null`
     * without escrow. Written only for the previous build, which reads it during a deployment.
     */
    readonly withdrawnAtomic: AtomicUnits | null
    readonly withdrawnDustAtto: AttoDollars
    /**
     * Amount that reached the split of an escrow charge; `null` without escrow, because every credit is then in the
     * split.
     */
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

/** The new marks of a split event: whether it is announced, and whether it is counted. */
export type ProcessedSplitEvent = {
  readonly id: number
  /** Inclusion on which the decision is based. */
  readonly blockHash: Hex
  /** Amount on which the decision is based. */
  readonly amountAtomic: AtomicUnits
  readonly isAnnounced: boolean
  readonly isApplied: boolean
}

/**
 * Marks split events by their ids; the caller must have locked their charges. An event to count must still have the
 * inclusion and amount that were read. An event that is only announced, or whose marks are removed, is marked without
 * this check, because the inbox lists it again if it has moved.
 *
 * @returns the number marked; if it is less than the number given, the chain feed has changed an event since it was
 * read
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
