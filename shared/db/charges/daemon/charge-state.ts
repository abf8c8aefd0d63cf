import type { Address, Hex } from '../../../domain/address.ts'
import type { ChargeStatus, SettlementStatus } from '../../../domain/charge.ts'
import type { AtomicUnits, AttoDollars } from '../../../domain/money.ts'
import type { Network, Token } from '../../../domain/networks.ts'
import type { Db } from '../../connect.ts'

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
 * The ledger of one pair of a charge, in the token's atomic units. Received amounts below one unit are recorded
 * separately: a contract that is not the token logs Arc's transfers, with 18 decimals where the token has 6 (decisions
 * 8.2).
 */
export type PairLedger = {
  readonly chargeId: string
  readonly network: Network
  readonly token: Token
  readonly chainId: number
  readonly tokenAddress: Address
  /** Decimals of the token. */
  readonly decimals: number
  readonly creditedAtomic: AtomicUnits
  readonly creditedDustAtto: AttoDollars
  /**
   * The part of it that decides the settlement: the credits that made the charge confirmed or underpaid; see
   * `isSettled`.
   */
  readonly settlementAtomic: AtomicUnits
  readonly settlementDustAtto: AttoDollars
  /**
   * Amount that left the Safe of an escrow charge in transactions that were releases by themselves; `null` without
   * escrow. It decides nothing. The previous build reads it during a deploy.
   */
  readonly withdrawnAtomic: AtomicUnits | null
  readonly withdrawnDustAtto: AttoDollars
  /** Amount that reached the split of an escrow charge; `null` without escrow, where every credit is in the split. */
  readonly releasedAtomic: AtomicUnits | null
  readonly releasedDustAtto: AttoDollars
  readonly distributedAtomic: AtomicUnits
  readonly merchantHeldAtomic: AtomicUnits
}

/** Updates charges that the caller has locked. */
export async function updateCharges(db: Db, states: readonly ChargeState[]): Promise<void> {
  const rows = states.map((state) => ({
    ...state,
    receivedAtto: state.receivedAtto === null ? null : String(state.receivedAtto),
    onTimeAtto: String(state.onTimeAtto),
  }))
  await db`
    update charges c set
      status = s.status, settlement_status = s."settlementStatus", received_atto = s."receivedAtto",
      on_time_atto = s."onTimeAtto", overpaid_announced = s."overpaidAnnounced", paid_with = s."paidWith", confirmed_at = s."confirmedAt",
      settled_at = s."settledAt", last_activity_at = s."lastActivityAt",
      escrow_released_at = s."escrowReleasedAt", escrow_refunded_at = s."escrowRefundedAt"
    from jsonb_to_recordset(${db.json(rows as never)}) as s (id text, status text, "settlementStatus" text,
      "receivedAtto" numeric, "onTimeAtto" numeric, "overpaidAnnounced" boolean, "paidWith" text[], "confirmedAt" timestamptz,
      "settledAt" timestamptz, "lastActivityAt" timestamptz, "escrowReleasedAt" timestamptz,
      "escrowRefundedAt" timestamptz)
    where c.id = s.id`
}

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
  const rows = ledgers.map((ledger) => ({
    ...ledger,
    creditedAtomic: String(ledger.creditedAtomic),
    settlementAtomic: String(ledger.settlementAtomic),
    withdrawnAtomic: ledger.withdrawnAtomic === null ? null : String(ledger.withdrawnAtomic),
    releasedAtomic: ledger.releasedAtomic === null ? null : String(ledger.releasedAtomic),
    distributedAtomic: String(ledger.distributedAtomic),
    merchantHeldAtomic: String(ledger.merchantHeldAtomic),
    creditedDustAtto: String(ledger.creditedDustAtto),
    settlementDustAtto: String(ledger.settlementDustAtto),
    withdrawnDustAtto: String(ledger.withdrawnDustAtto),
    releasedDustAtto: String(ledger.releasedDustAtto),
  }))
  await db`
    insert into charge_ledgers (charge_id, network, token, chain_id, token_address, credited_atomic, settlement_atomic,
      withdrawn_atomic, released_atomic, distributed_atomic, merchant_held_atomic, credited_dust_atto,
      settlement_dust_atto, withdrawn_dust_atto, released_dust_atto)
    select r."chargeId", r.network, r.token, r."chainId", r."tokenAddress", r."creditedAtomic", r."settlementAtomic",
      r."withdrawnAtomic", r."releasedAtomic", r."distributedAtomic", r."merchantHeldAtomic", r."creditedDustAtto",
      r."settlementDustAtto", r."withdrawnDustAtto", r."releasedDustAtto"
    from jsonb_to_recordset(${db.json(rows as never)}) as r ("chargeId" text, network text, token text, "chainId" int8,
      "tokenAddress" text, "creditedAtomic" numeric, "settlementAtomic" numeric, "withdrawnAtomic" numeric,
      "releasedAtomic" numeric, "distributedAtomic" numeric, "merchantHeldAtomic" numeric, "creditedDustAtto" numeric,
      "settlementDustAtto" numeric, "withdrawnDustAtto" numeric, "releasedDustAtto" numeric)
    on conflict (charge_id, network, token) do update set
      credited_atomic = excluded.credited_atomic, settlement_atomic = excluded.settlement_atomic,
      withdrawn_atomic = excluded.withdrawn_atomic, released_atomic = excluded.released_atomic,
      distributed_atomic = excluded.distributed_atomic, merchant_held_atomic = excluded.merchant_held_atomic,
      credited_dust_atto = excluded.credited_dust_atto, settlement_dust_atto = excluded.settlement_dust_atto,
      withdrawn_dust_atto = excluded.withdrawn_dust_atto, released_dust_atto = excluded.released_dust_atto`
}

/** The new state of a split event: announced, counted, or both undone. */
export type ProcessedSplitEvent = {
  readonly id: number
  /** Inclusion that the decision is based on. */
  readonly blockHash: Hex
  /** The counted amount. */
  readonly amountAtomic: AtomicUnits
  readonly isAnnounced: boolean
  readonly isApplied: boolean
}

/**
 * Marks split events by their ids; the caller must have locked their charges. An event to count must still have the
 * inclusion and amount that were read. An event that is only announced, or undone, needs processing again if it has
 * moved.
 *
 * @returns the number marked; fewer than given means that the chain feed was faster
 */
export async function markSplitEvents(
  db: Db,
  events: readonly ProcessedSplitEvent[],
  now: Date,
): Promise<number> {
  const rows = events.map((event) => ({ ...event, amountAtomic: String(event.amountAtomic) }))
  const { count } = await db`
    update split_events e set
      notified_at = case when s."isAnnounced" then coalesce(e.notified_at, ${now}) end,
      applied_at = case when s."isApplied" then ${now}::timestamptz end
    from jsonb_to_recordset(${db.json(rows as never)}) as s (id int8, "blockHash" text, "amountAtomic" numeric,
      "isAnnounced" boolean, "isApplied" boolean)
    where e.id = s.id and (not s."isApplied"
      or (e.inclusion = 'included' and e.block_hash = s."blockHash" and e.amount_atomic = s."amountAtomic"))`
  return count
}
