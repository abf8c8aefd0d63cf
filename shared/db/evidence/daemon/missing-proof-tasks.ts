import type { Db } from '../../connect.ts'

/** The tables whose counted rows need proofs, and the column that is set when a row is counted. */
const COUNTED_AT = {
  transfers: 'credited_at',
  split_events: 'applied_at',
  escrow_transfers: 'applied_at',
} as const satisfies Readonly<Record<string, string>>

export type CountedTable = keyof typeof COUNTED_AT

export const COUNTED_TABLES = Object.keys(COUNTED_AT) as readonly CountedTable[]

type Batch = {
  readonly table: CountedTable
  readonly afterId: number
  /** Chains that the daemon serves. */
  readonly chainIds: readonly number[]
  readonly maxRows: number
  readonly maxTasks: number
}

/**
 * Inserts the missing proof tasks of a table's next counted rows, by id. Tasks are missing for rows that an older
 * version of the service counted, and for rows whose block has changed since they were counted.
 *
 * @returns the id to continue after; `null` at the end of the table
 */
export async function insertMissingProofTasks(db: Db, batch: Batch): Promise<number | null> {
  const { table, afterId, chainIds, maxRows, maxTasks } = batch
  const [row] = await db<{ lastId: number | null }[]>`
    with scanned as (
      select id, chain_id, tx_hash, block_hash, ${db(COUNTED_AT[table])} is not null as is_counted
      from ${db(table)} where id > ${afterId} order by id limit ${maxRows}
    ), missing as (
      select s.id, s.chain_id, s.tx_hash, s.block_hash from scanned s
      where s.is_counted and s.chain_id = any (${chainIds}::int8[]) and s.block_hash is not null and not exists (
        select from receipt_proofs p
        where p.chain_id = s.chain_id and p.tx_hash = s.tx_hash and p.block_hash = s.block_hash)
      order by s.id limit ${maxTasks}
    ), inserted as (
      insert into receipt_proofs (chain_id, tx_hash, block_hash)
      select distinct chain_id, tx_hash, block_hash from missing order by 1, 2, 3
      on conflict do nothing
    )
    select case when count(*) = ${maxTasks} then max(id) else (select max(id) from scanned) end as last_id
    from missing`
  return row?.lastId ?? null
}

/** Counts the due proof tasks of these chains, up to `max`. */
export async function countDueProofTasks(
  db: Db,
  { chainIds, max }: { readonly chainIds: readonly number[]; readonly max: number },
): Promise<number> {
  const [row] = await db<{ found: number }[]>`
    select count(*) as found from (
      select from receipt_proofs
      where chain_id = any (${chainIds}::int8[]) and finished_at is null and due_at <= now() limit ${max}) due`
  return row?.found ?? 0
}
