import type { Address } from '../domain/address.ts'
import type { SplitTerms } from '../domain/charge.ts'
import type { EscrowAction } from '../domain/escrow-action.ts'
import type { EscrowFacts } from '../domain/escrow-order.ts'
import type { Db } from './connect.ts'

type Row = {
  readonly chargeId: string
  readonly address: Address
  readonly splitAddress: Address
  readonly splitTerms: SplitTerms
  readonly releaser: Address | null
  readonly moved: EscrowAction | null
  readonly paidPairs: number
  readonly revertedOrders: number
  readonly chainId: number | null
  readonly tokenAddress: Address | null
  readonly sender: Address | null
}

/**
 * Finds what the ledger knows of a charge's escrow, or answers `null` if there is no such charge.
 *
 * Whose charge it is, is for the caller to know. An escrow counts as moved from the first block that shows it, or
 * as soon as the order that our relayer sent is mined; credits of the sandbox, which are on no chain, are left out.
 */
export async function findEscrowFacts(db: Db, chargeId: string): Promise<EscrowFacts | null> {
  const [row] = await db<Row[]>`
    select c.id as charge_id, c.address, c.split_address, c.split_terms, c.escrow_releaser as releaser,
      coalesce(
        case when c.escrow_released_at is not null then 'release' when c.escrow_refunded_at is not null then 'refund' end,
        (select m.action from escrow_movements m
         where m.charge_id = c.id and m.presence <> 'vanished' order by m.block_timestamp, m.log_index limit 1),
        (select o.action from escrow_orders o
         where o.charge_id = c.id and o.status in ('mined', 'final') order by o.created_at limit 1)) as moved,
      (select count(distinct (t.chain_id, t.token_address)) from transfers t
       where t.charge_id = c.id and t.credited_at is not null and t.chain_id is not null) as paid_pairs,
      (select count(*) from escrow_orders o where o.charge_id = c.id and o.status = 'reverted') as reverted_orders,
      l.chain_id, l.token_address, l.sender
    from charges c
    left join lateral (
      select t.chain_id, t.token_address, t.sender from transfers t
      where t.charge_id = c.id and t.credited_at is not null and t.chain_id is not null
      order by t.credited_at desc, t.block_timestamp desc, t.id desc limit 1
    ) l on true
    where c.id = ${chargeId}`
  if (row === undefined) return null
  const { chainId, tokenAddress, sender, ...facts } = row
  const isPaid = chainId !== null && tokenAddress !== null && sender !== null
  return { ...facts, lastCredit: isPaid ? { chainId, tokenAddress, sender } : null }
}
