import type { CountedCredit, CountedMovement, EscrowRecord } from '../../../domain/escrow-end.ts'
import type { MicroDollars } from '../../../domain/money.ts'
import { type Network, pairKey, type Token } from '../../../domain/networks.ts'
import type { Db } from '../../connect.ts'
import { isEscrowDust } from '../../predicates.ts'
import { doesTheOrder } from '../executed-orders.ts'

export type ChargeEscrowRecord = EscrowRecord & { readonly chargeId: string }

/**
 * Reads the facts that decide whether these escrows have ended. Omits escrows without a counted transfer out of the
 * Safe.
 *
 * Only `isCountedCredit` and `isCountedMovement` define which rows count. If a sender's total on a pair is dust, the
 * sender's credits are skipped: they never count, and any account can create any number of them.
 *
 * @param chargeIds - charges whose locks the caller holds
 */
export async function listEscrowRecords(
  db: Db,
  chargeIds: readonly string[],
): Promise<readonly ChargeEscrowRecord[]> {
  const movements = await listCountedMovements(db, chargeIds)
  const moved = [...new Set(movements.map(({ chargeId }) => chargeId))]
  if (moved.length === 0) return []
  const charges = await db<{ id: string; amountMicro: MicroDollars }[]>`
    select id, amount_micro from charges where id = any (${moved})`
  const credits = await listCountedCredits(db, moved)
  return charges.map(({ id, amountMicro }) => ({
    ...{ chargeId: id, amountMicro },
    credits: credits.filter(({ chargeId }) => chargeId === id),
    movements: movements.filter(({ chargeId }) => chargeId === id),
  }))
}

type Of<Row> = Row & { readonly chargeId: string }

async function listCountedMovements(
  db: Db,
  chargeIds: readonly string[],
): Promise<readonly Of<CountedMovement>[]> {
  return db<Of<CountedMovement>[]>`
    select m.charge_id, trunc(m.amount_atomic * 10::numeric ^ (18 - p.decimals) + m.dust_atto) as amount_atto,
      m.recipient = c.split_address as is_into_split, m.block_timestamp as "timestamp", (
        select o.action from escrow_orders o
        where o.charge_id = m.charge_id and o.chain_id = m.chain_id and o.token_address = m.token_address and exists (
          select from escrow_transfers t
          where t.charge_id = o.charge_id and t.chain_id = o.chain_id and t.token_address = o.token_address
            and t.tx_hash = m.tx_hash and ${isCountedMovement(db, 't')}
          having ${doesTheOrder(db)})
        order by o.created_at limit 1) as ordered_action
    from escrow_transfers m
    join charges c on c.id = m.charge_id
    join pairs p on p.chain_id = m.chain_id and p.token_address = m.token_address
    where m.charge_id = any (${chargeIds}) and ${isCountedMovement(db, 'm')}`
}

type CreditRow = Omit<Of<CountedCredit>, 'pair'> & { readonly token: Token; readonly network: Network }

async function listCountedCredits(
  db: Db,
  chargeIds: readonly string[],
): Promise<readonly Of<CountedCredit>[]> {
  const rows = await db<CreditRow[]>`
    select t.charge_id, t.network, t.token, t.sender, coalesce(t.block_timestamp, 0) as "timestamp",
      sum(t.amount_atto) as amount_atto
    from (
      select t.*, sum(t.amount_atto) over (partition by t.charge_id, t.network, t.token, t.sender) as total_atto
      from transfers t where t.charge_id = any (${chargeIds}) and ${isCountedCredit(db)}
    ) t join charges c on c.id = t.charge_id
    where not (${isEscrowDust(db, db`t.total_atto`)})
    group by t.charge_id, t.network, t.token, t.sender, t.block_timestamp`
  return rows.map((row) => ({ ...row, pair: pairKey(row) }))
}

/** Sandbox credits are in no Safe, so they do not count. */
function isCountedCredit(db: Db) {
  return db`t.credited_at is not null and t.chain_id is not null`
}

/** The charge's ledgers include the transfer, which was at confirmation depth when it was counted. */
function isCountedMovement(db: Db, alias: 'm' | 't') {
  return db`${db(alias)}.applied_at is not null`
}
