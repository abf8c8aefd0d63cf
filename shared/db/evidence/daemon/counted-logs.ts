import type { Address, Hex } from '../../../domain/address.ts'
import type { EvidenceKind } from '../../../domain/evidence/evidence-kind.ts'
import type { AtomicUnits, AttoDollars } from '../../../domain/money.ts'
import type { Db } from '../../connect.ts'

/** A counted log of a transaction in a block, and the addresses of its charge. */
export type CountedLogRow = {
  readonly txHash: Hex
  readonly kind: EvidenceKind
  /** Index in the block. */
  readonly logIndex: number
  readonly tokenAddress: Address
  readonly party: Address
  /** As in `EvidenceLog`. */
  readonly amountAtomic: AtomicUnits
  readonly dustAtto: AttoDollars
  readonly address: Address
  readonly splitAddress: Address
  /** Time of the block, in Unix seconds. */
  readonly blockTimestamp: number
}

type Wanted = { readonly chainId: number; readonly blockHash: Hex; readonly txHashes: readonly Hex[] }

/** Lists the counted logs of all charges in these transactions of one block. */
export async function listCountedLogs(db: Db, wanted: Wanted): Promise<readonly CountedLogRow[]> {
  const { chainId, blockHash, txHashes } = wanted
  const isWanted = db`
    r.chain_id = ${chainId} and r.tx_hash = any (${txHashes}) and r.block_hash = ${blockHash}`
  return db<CountedLogRow[]>`
    select r.tx_hash, 'credit' as kind, r.log_index, r.token_address, r.sender as party, r.value_atomic as amount_atomic,
      0::numeric as dust_atto, c.address, c.split_address, r.block_timestamp
    from transfers r join charges c on c.id = r.charge_id where ${isWanted} and r.credited_at is not null
    union all
    select r.tx_hash, case r.kind when 'distributed' then 'distribution' else r.kind end, r.log_index, r.token_address,
      r.account, r.amount_atomic, 0::numeric, c.address, c.split_address, r.block_timestamp
    from split_events r join charges c on c.id = r.charge_id where ${isWanted} and r.applied_at is not null
    union all
    select r.tx_hash, 'escrow_' || r.action, r.log_index, r.token_address, r.recipient, r.amount_atomic, r.dust_atto,
      c.address, c.split_address, r.block_timestamp
    from escrow_transfers r join charges c on c.id = r.charge_id where ${isWanted} and r.applied_at is not null`
}

/**
 * Returns the transactions that moved less than a dollar for each of their charges, if each of these charges already
 * has `maxProofs` proofs of payments below a dollar. A proof costs more than the dust that a stranger sends.
 */
export async function listExcessiveDust(
  db: Db,
  { chainId, blockHash, txHashes, maxProofs }: Wanted & { readonly maxProofs: number },
): Promise<readonly Hex[]> {
  const isWanted = db`r.chain_id = ${chainId} and r.tx_hash = any (${txHashes}) and r.block_hash = ${blockHash}`
  const rows = await db<{ txHash: Hex }[]>`
    with moved as (
      select r.tx_hash, r.charge_id, r.amount_atto from transfers r where ${isWanted} and r.credited_at is not null
      union all
      select r.tx_hash, r.charge_id, r.amount_atomic * 10::numeric ^ (18 - p.decimals) from split_events r
      join pairs p on p.chain_id = r.chain_id and p.token_address = r.token_address
      where ${isWanted} and r.applied_at is not null
      union all
      select r.tx_hash, r.charge_id, r.amount_atomic * 10::numeric ^ (18 - p.decimals) + r.dust_atto
      from escrow_transfers r
      join pairs p on p.chain_id = r.chain_id and p.token_address = r.token_address
      where ${isWanted} and r.applied_at is not null
    ), of_charges as (
      select tx_hash, charge_id from moved group by 1, 2 having sum(amount_atto) < ${DOLLAR}::numeric
    )
    select m.tx_hash from (select distinct tx_hash, charge_id from moved) m
    left join of_charges o on o.tx_hash = m.tx_hash and o.charge_id = m.charge_id
    group by m.tx_hash
    having bool_and(o.tx_hash is not null and ${maxProofs} <= (
      select count(*) from (
        select from transfers t
        join receipt_proofs s on s.chain_id = t.chain_id and s.tx_hash = t.tx_hash and s.block_hash = t.block_hash
        where t.charge_id = m.charge_id and t.amount_atto < ${DOLLAR}::numeric and s.proof is not null
        limit ${maxProofs}) stored))`
  return rows.map(({ txHash }) => txHash)
}

/** One dollar in 10^-18 dollars, as text, because a bigint parameter is not allowed without its type. */
const DOLLAR = '1000000000000000000'
