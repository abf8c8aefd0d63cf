import type { Fragment } from 'postgres'
import type { Hex } from '../../../domain/address.ts'
import type { Db } from '../../connect.ts'
import { atDepth, hasVotes, isAgreed, isUnderHead } from './at-depth.ts'

/** A transaction whose rows wait for a quorum, with the highest block of those rows. */
export type UncorroboratedTransaction = {
  readonly txHash: Hex
  readonly blockNumber: number
  readonly blockHash: Hex
  /** Whether the transaction is at confirmation depth under the feed's head. */
  readonly isDeep: boolean
  /** Whether a quorum has agreed on all of its rows, so that only their block must be checked at depth. */
  readonly isAgreed: boolean
}

/** Recently queried transactions. */
export type RestingTransactions = {
  /** Not yet at depth. They rest only until they are, because a rest must not delay a payment at depth. */
  readonly aboveDepth: readonly Hex[]
  readonly atDepth: readonly Hex[]
}

/**
 * Lists the transactions of a chain whose rows wait to be counted and that no quorum has shown at depth. Every charge's
 * first transaction precedes any second one, so a node that invents rows for one charge does not delay other charges.
 *
 * @param query.isSeenEnough - whether to include rows before they are at depth
 * @param query.except - recently queried transactions, which are skipped
 */
export async function listUncorroborated(
  db: Db,
  query: {
    readonly chainId: number
    readonly isSeenEnough: boolean
    readonly except: RestingTransactions
    readonly limit: number
  },
): Promise<readonly UncorroboratedTransaction[]> {
  const { chainId, isSeenEnough, except, limit } = query
  const waits = (alias: 't' | 'e' | 'm') => db`
    join deployments d on d.chain_id = ${db(alias)}.chain_id
    where ${db(alias)}.chain_id = ${chainId} and ${db(alias)}.inclusion = 'included'
      and ((${isSeenEnough} and not ${isAgreed(db, alias)}) or (${isUnderHead(db, alias)} and not ${atDepth(db, alias)}))
      and ${db(alias)}.tx_hash <> all (${except.atDepth})
      and (${isUnderHead(db, alias)} or ${db(alias)}.tx_hash <> all (${except.aboveDepth}))`
  const columns = (alias: 't' | 'e' | 'm') => {
    const row = db(alias)
    return db`${row}.charge_id, ${row}.tx_hash, ${row}.block_number, ${row}.block_hash, 
      ${isUnderHead(db, alias)} as is_deep, ${isAgreed(db, alias)} and ${hasVotes(db, alias)} as is_agreed`
  }
  return await db<UncorroboratedTransaction[]>`
    with waiting as (
      select ${columns('t')} from transfers t ${waits('t')} and t.credited_at is null and t.accepted
      union
      select ${columns('e')} from split_events e ${waits('e')} and e.applied_at is null
      union
      select ${columns('m')} from escrow_transfers m ${waits('m')} and m.applied_at is null
    ), turns as (
      select w.*, dense_rank() over (partition by charge_id order by block_number, tx_hash) as turn from waiting w
    )
    select tx_hash, max(block_number) as block_number,
      (array_agg(block_hash order by block_number desc))[1] as block_hash,
      bool_or(is_deep) as is_deep, bool_and(is_agreed) as is_agreed
    from turns group by tx_hash order by min(turn), 2, tx_hash limit ${limit}`
}

/**
 * Lists transactions that must be verified again, oldest first: their rows count by a single node's report, because of
 * an operator's order or because they predate quorums.
 */
export async function listToVerify(
  db: Db,
  {
    chainId,
    except,
    limit,
  }: { readonly chainId: number; readonly except: readonly Hex[]; readonly limit: number },
): Promise<readonly UncorroboratedTransaction[]> {
  const waits = db`
    where r.chain_id = ${chainId} and r.agreed_by is not null
      and (r.agreed_by[1] = 'before-quorum' or r.agreed_by[1] like 'trusted:%')
      and r.inclusion = 'included' and r.tx_hash <> all (${except}) order by r.id limit ${limit}`
  return await db<UncorroboratedTransaction[]>`
    select distinct on (tx_hash) tx_hash, block_number, block_hash, true as is_deep, false as is_agreed from (
      (select r.tx_hash, r.block_number, r.block_hash from transfers r ${waits})
      union all
      (select r.tx_hash, r.block_number, r.block_hash from split_events r ${waits})
      union all
      (select r.tx_hash, r.block_number, r.block_hash from escrow_transfers r ${waits})
    ) r
    order by tx_hash, block_number desc limit ${limit}`
}

/** Counts a chain's rows in all three tables that still wait for a quorum two minutes after reaching depth. */
export async function countUncorroborated(db: Db, chainId: number): Promise<number> {
  const rows = lateRows(db, { chainId, at: db`now()` })
  const [row] = await db<[{ waiting: number }]>`select count(*)::int as waiting from (${rows}) late`
  return row.waiting
}

/** Lists the transactions whose rows still wait for a quorum two minutes after reaching depth, oldest first. */
export async function listLate(
  db: Db,
  { chainId, now, limit }: { readonly chainId: number; readonly now: Date; readonly limit: number },
): Promise<readonly Hex[]> {
  const rows = await db<{ txHash: Hex }[]>`
    select tx_hash from (${lateRows(db, { chainId, at: db`${now}::timestamptz` })}) late
    group by tx_hash order by min(detected_at), tx_hash limit ${limit}`
  return rows.map(({ txHash }) => txHash)
}

/**
 * Selects rows that still wait for a quorum two minutes after reaching confirmation depth. The time of depth is
 * computed from the earlier of the block's time and the row's recording, so a feed with future timestamps cannot
 * silence alerts.
 */
function lateRows(db: Db, { chainId, at }: { readonly chainId: number; readonly at: Fragment }) {
  const waits = (alias: 't' | 'e' | 'm') => db`
    join deployments d on d.chain_id = ${db(alias)}.chain_id
    where ${db(alias)}.chain_id = ${chainId} and ${db(alias)}.inclusion = 'included' and ${isUnderHead(db, alias)}
      and not ${atDepth(db, alias)}
      and least(to_timestamp(${db(alias)}.block_timestamp), ${db(alias)}.detected_at)
        + make_interval(secs => 120 + d.confirmations * d.block_time_ms / 1000) < ${at}
      and ${db(alias)}.detected_at < ${at} - interval '2 minutes'`
  return db`
    select t.tx_hash, t.detected_at from transfers t ${waits('t')} and t.credited_at is null and t.accepted
    union all
    select e.tx_hash, e.detected_at from split_events e ${waits('e')} and e.applied_at is null
    union all
    select m.tx_hash, m.detected_at from escrow_transfers m ${waits('m')} and m.applied_at is null`
}
