import type { Hex } from '../../../domain/address.ts'
import type { AttoDollars } from '../../../domain/money.ts'
import type { Db } from '../../connect.ts'

/** A row of a charge, read from a chain or created by the sandbox, as operators see it. */
export type ShownRow = {
  /** Name of the row, such as `transfer:12`: the argument of `charges -- strike`. */
  readonly name: string
  readonly event: string
  readonly network: string
  readonly token: string
  readonly amountAtto: AttoDollars
  readonly txHash: Hex | null
  readonly blockNumber: number | null
  readonly countedAt: Date | null
  /** `denied`: a quorum shows the row's block without the row. */
  readonly state: 'included' | 'missing' | 'orphaned' | 'denied' | 'struck'
  /** The last order to strike the row: its outcome, who ordered it, and the daemon's or the operator's reason. */
  readonly order: string | null
}

/** Maximum number of rows shown per charge. It is limited because anyone can send any number of dust transfers. */
const MAX_ROWS = 1_000

/** Lists the rows of a charge, counted and struck rows first; at most 1,000. */
export async function listChargeRows(db: Db, chargeId: string): Promise<readonly ShownRow[]> {
  const stateOf = (alias: string) => db`
    case when ${db(alias)}.inclusion = 'orphaned' and ${db(alias)}.denied_block_hash = ${db(alias)}.block_hash
      then 'denied' else ${db(alias)}.inclusion end`
  const amount = (alias: string) => db`trunc(${db(alias)}.amount_atomic * 10::numeric ^ (18 - p.decimals))`
  const pairOf = (alias: string) => db`
    join pairs p on p.chain_id = ${db(alias)}.chain_id and p.token_address = ${db(alias)}.token_address`
  return db<ShownRow[]>`
    with shown as (
      select 'transfer' as kind, t.id, 'transfer' as event, t.network, t.token, t.amount_atto, t.tx_hash,
        t.block_number, t.credited_at as counted_at, ${stateOf('t')} as state
      from transfers t where t.charge_id = ${chargeId}
      union all
      select 'split-event', e.id, e.kind, p.network, p.token, ${amount('e')}, e.tx_hash, e.block_number, e.applied_at,
        ${stateOf('e')}
      from split_events e ${pairOf('e')} where e.charge_id = ${chargeId}
      union all
      select 'escrow-transfer', m.id, 'from escrow', p.network, p.token, ${amount('m')} + m.dust_atto, m.tx_hash,
        m.block_number, m.applied_at, ${stateOf('m')}
      from escrow_transfers m ${pairOf('m')} where m.charge_id = ${chargeId}
      union all
      select s.kind, s.row_id, s.event, s.network, s.token, s.amount_atto, s.tx_hash, s.block_number, s.counted_at, 'struck'
      from struck_rows s where s.charge_id = ${chargeId})
    select s.kind || ':' || s.id as name, s.event, s.network, s.token, s.amount_atto, s.tx_hash, s.block_number,
      s.counted_at, s.state, o.text as order
    from shown s left join lateral (
      select coalesce(x.outcome, 'ordered') || ' by ' || x.ordered_by || ': ' || coalesce(x.answer, x.reason) as text
      from strike_orders x where x.charge_id = ${chargeId} and x.kind = s.kind and x.row_id = s.id
      order by x.id desc limit 1) o on true
    order by s.counted_at nulls last, s.kind, s.id limit ${MAX_ROWS}`
}

/** Returns whether a charge with this id exists. */
export async function hasCharge(db: Db, id: string): Promise<boolean> {
  const rows = await db`select from charges where id = ${id}`
  return rows.length > 0
}
