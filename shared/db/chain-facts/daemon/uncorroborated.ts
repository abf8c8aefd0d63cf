import type { Fragment } from 'postgres'
import type { Hex } from '../../../domain/address.ts'
import type { Db } from '../../connect.ts'
import { atDepth, hasVotes, isAgreed, isUnderHead } from './at-depth.ts'
import { getColumns, isUncounted, unionTables } from './chain-tables.ts'

/** A transaction whose rows wait for a quorum, and the highest block of those rows. */
export type UncorroboratedTransaction = {
  readonly txHash: Hex
  readonly blockNumber: number
  readonly blockHash: Hex
  /** Whether the transaction is at confirmation depth according to the feed's head. */
  readonly isDeep: boolean
  /** Whether a quorum has agreed on all of these rows, so that only their block must still be checked at depth. */
  readonly isAgreed: boolean
}

/** Recently queried transactions, grouped by whether they were at confirmation depth. */
export type RestingTransactions = {
  /** Skipped only until they reach confirmation depth, because a payment at that depth must not be delayed. */
  readonly aboveDepth: readonly Hex[]
  readonly atDepth: readonly Hex[]
}

/**
 * Lists the transactions of a chain with uncounted rows that no quorum has shown at confirmation depth. The first
 * transactions of all charges come before any second transaction, so a node that invents rows for one charge does not
 * delay other charges.
 *
 * @param query.isSeenEnough - whether to include rows that are not yet at confirmation depth, if no quorum has agreed
 * on their content
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
  const waiting = unionTables(
    db,
    (table) => db`
      select r.charge_id, r.tx_hash, r.block_number, r.block_hash, ${isUnderHead(db, 'r')} as is_deep,
        ${isAgreed(db, 'r')} and ${hasVotes(db, 'r')} as is_agreed
      from ${db(table)} r join deployments d on d.chain_id = r.chain_id
      where r.chain_id = ${chainId} and r.inclusion = 'included'
        and ((${isSeenEnough} and not ${isAgreed(db, 'r')}) or (${isUnderHead(db, 'r')} and not ${atDepth(db, 'r')}))
        and r.tx_hash <> all (${except.atDepth})
        and (${isUnderHead(db, 'r')} or r.tx_hash <> all (${except.aboveDepth})) and ${isUncounted(db, table)}`,
  )
  return await db<UncorroboratedTransaction[]>`
    with waiting as (${waiting}), turns as (
      select w.*, dense_rank() over (partition by charge_id order by block_number, tx_hash) as turn from waiting w
    )
    select tx_hash, max(block_number) as block_number,
      (array_agg(block_hash order by block_number desc))[1] as block_hash,
      bool_or(is_deep) as is_deep, bool_and(is_agreed) as is_agreed
    from turns group by tx_hash order by min(turn), 2, tx_hash limit ${limit}`
}

/**
 * Lists transactions that must be verified again, because of one of two kinds of rows:
 *
 * 1. Rows that are marked as agreed although only a single node reported them, either on an operator's order or before
 *    quorums existed.
 * 2. Counted rows at confirmation depth without a mark. A feed that followed a fork has moved them to another block
 *    (`recordChainRows`). The feed does not move them back if its watermark has passed that block.
 *
 * Considers only the oldest `limit` rows of each kind and table.
 */
export async function listToVerify(
  db: Db,
  {
    chainId,
    except,
    limit,
  }: { readonly chainId: number; readonly except: readonly Hex[]; readonly limit: number },
): Promise<readonly UncorroboratedTransaction[]> {
  // Each kind has its own partial index, which a condition that joins both with `or` could not use.
  const rows = unionTables(
    db,
    (table) => db`
      (select r.tx_hash, r.block_number, r.block_hash from ${db(table)} r
      where r.chain_id = ${chainId} and r.agreed_by is not null
        and (r.agreed_by[1] = 'before-quorum' or r.agreed_by[1] like 'trusted:%')
        and r.inclusion = 'included' and r.tx_hash <> all (${except}) order by r.id limit ${limit})
      union all
      (select r.tx_hash, r.block_number, r.block_hash
      from ${db(table)} r join deployments d on d.chain_id = r.chain_id
      where r.chain_id = ${chainId} and ${getColumns(db, table).countedAt} is not null and r.agreed_by is null
        and ${isUnderHead(db, 'r')}
        and r.inclusion = 'included' and r.tx_hash <> all (${except}) order by r.id limit ${limit})`,
  )
  return await db<UncorroboratedTransaction[]>`
    select distinct on (tx_hash) tx_hash, block_number, block_hash, true as is_deep, false as is_agreed from (${rows}) r
    order by tx_hash, block_number desc limit ${limit}`
}

/** Counts the rows of a chain that still wait for a quorum two minutes after they reached confirmation depth. */
export async function countUncorroborated(db: Db, chainId: number): Promise<number> {
  const rows = lateRows(db, { chainId, at: db`now()` })
  const [row] = await db<[{ waiting: number }]>`select count(*)::int as waiting from (${rows}) late`
  return row.waiting
}

/** Lists the transactions of the rows that `countUncorroborated` counts, oldest first. */
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
 * Selects rows that still wait for a quorum two minutes after they reached confirmation depth and were recorded. The
 * time at which a row reached that depth is computed from the earlier of the block's time and the recording, so a feed
 * with timestamps in the future cannot suppress the alert.
 */
function lateRows(db: Db, { chainId, at }: { readonly chainId: number; readonly at: Fragment }) {
  return unionTables(
    db,
    (table) => db`
      select r.tx_hash, r.detected_at from ${db(table)} r join deployments d on d.chain_id = r.chain_id
      where r.chain_id = ${chainId} and r.inclusion = 'included' and ${isUnderHead(db, 'r')}
        and not ${atDepth(db, 'r')}
        and least(to_timestamp(r.block_timestamp), r.detected_at)
          + make_interval(secs => 120 + d.confirmations * d.block_time_ms / 1000) < ${at}
        and r.detected_at < ${at} - interval '2 minutes' and ${isUncounted(db, table)}`,
  )
}
