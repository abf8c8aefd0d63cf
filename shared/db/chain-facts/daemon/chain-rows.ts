import type { Address, Hex } from '../../../domain/address.ts'
import type { Db } from '../../connect.ts'
import { toJsonRow } from '../../rows.ts'
import type { LogPosition } from '../reconciliations.ts'
import { type ChainTable, getColumns, isUncounted } from './chain-tables.ts'

/** A row of any chain table in one common form. Two sources agree on a row only if all fields are equal. */
export type ChainRow = LogPosition & {
  readonly chainId: number
  readonly chargeId: string
  /** Kind of a split event; empty for rows of the other tables. */
  readonly kind: string
  readonly tokenAddress: Address
  readonly ordinal: number
  readonly blockNumber: number
  /** Time of the block, in Unix seconds. It decides whether a payment was in time. */
  readonly blockTimestamp: number
  /** A transfer's sender, a split event's account, or an escrow transfer's recipient. */
  readonly party: Address
  readonly amountAtomic: bigint
  /** Whether a transfer can ever be credited; true for rows of the other tables. */
  readonly isAccepted: boolean
}

type Transactions = { readonly chainId: number; readonly txHashes: readonly Hex[] }

/** Lists the included rows of these transactions in a table. */
export async function listChainRows(
  db: Db,
  table: ChainTable,
  of: Transactions,
): Promise<readonly ChainRow[]> {
  return db<ChainRow[]>`${selectChainRows(db, table, of)} and r.inclusion = 'included'`
}

/** Lists the counted rows of these transactions in a table that a quorum has denied in their blocks. */
export async function listDeniedCountedRows(
  db: Db,
  table: ChainTable,
  of: Transactions,
): Promise<readonly ChainRow[]> {
  const { countedAt } = getColumns(db, table)
  return db<ChainRow[]>`
    ${selectChainRows(db, table, of)} and r.inclusion = 'orphaned' and r.denied_block_hash = r.block_hash
      and ${countedAt} is not null`
}

/** Lists all rows of these transactions in a table, including missing and orphaned rows. */
export async function listAllChainRows(
  db: Db,
  table: ChainTable,
  of: Transactions,
): Promise<readonly ChainRow[]> {
  return db<ChainRow[]>`${selectChainRows(db, table, of)}`
}

function selectChainRows(db: Db, table: ChainTable, { chainId, txHashes }: Transactions) {
  const { kind, party, amountAtomic, isAccepted } = getColumns(db, table)
  return db`
    select r.chain_id, r.charge_id, ${kind} as kind, r.token_address, r.tx_hash, r.ordinal, r.block_hash, r.log_index,
      r.block_number, r.block_timestamp, ${party} as party, ${amountAtomic} as amount_atomic, ${isAccepted} as is_accepted
    from ${db(table)} r
    where r.chain_id = ${chainId} and r.tx_hash = any (${txHashes})`
}

/**
 * The operators, or the trusted node, that agreed on rows, and whether the rows' block was canonical and at
 * confirmation depth.
 */
export type AgreementMark = { readonly by: readonly string[]; readonly isDeep: boolean }

/**
 * Marks the included rows with exactly this content as agreed. ONLY MARKED ROWS COUNT (`at-depth.ts`). All content must
 * match, because a row at the same position can pay another charge or another amount.
 *
 * The new mark replaces only a provisional mark (see `isProvisional`). Any other mark keeps its operators and time, and
 * only the confirmation depth is added.
 */
export async function markAgreed(
  db: Db,
  table: ChainTable,
  { rows, mark }: { readonly rows: readonly ChainRow[]; readonly mark: AgreementMark },
): Promise<void> {
  if (rows.length === 0) return
  const { by, isDeep } = mark
  await db`
    update ${db(table)} r set
      agreed_at = case when ${isProvisional(db)} then now() else r.agreed_at end,
      agreed_by = case when ${isProvisional(db)} then ${by as string[]} else r.agreed_by end,
      corroborated_block_hash = case when ${isDeep} then r.block_hash else r.corroborated_block_hash end
    from ${recordsetOf(db, rows)}
    where ${saysSame(db, table)} and r.inclusion = 'included'
      and (${isProvisional(db)} or (${isDeep} and r.corroborated_block_hash is distinct from r.block_hash))`
}

/**
 * Marks the agreed rows in these blocks as corroborated, because a quorum shows the blocks on the chain at confirmation
 * depth.
 *
 * @param query.blocks - matched by number and hash; rows of another block with the same number do not change
 */
export async function markCorroboratedInBlock(
  db: Db,
  table: ChainTable,
  query: {
    readonly chainId: number
    readonly blocks: readonly { readonly blockNumber: number; readonly blockHash: Hex }[]
  },
): Promise<void> {
  await db`
    update ${db(table)} r set corroborated_block_hash = r.block_hash
    from unnest(${query.blocks.map(({ blockNumber }) => blockNumber)}::int8[],
      ${query.blocks.map(({ blockHash }) => blockHash)}::text[]) as b (block_number, block_hash)
    where r.chain_id = ${query.chainId} and r.block_number = b.block_number and r.block_hash = b.block_hash
      and r.inclusion = 'included' and r.agreed_at is not null and r.corroborated_block_hash is distinct from r.block_hash`
}

/**
 * Returns the condition that no quorum has agreed on a row. The row has no mark, a mark of one trusted node, a mark
 * from before quorums existed, or a mark of fewer operators than a quorum that was raised later.
 */
function isProvisional(db: Db) {
  return db`(r.agreed_by is null or r.agreed_by[1] = 'before-quorum' or r.agreed_by[1] like 'trusted:%'
    or cardinality(r.agreed_by) < (select q.quorum from deployments q where q.chain_id = r.chain_id))`
}

/**
 * Marks rows as included again if the feed shows them again in the block in which they were agreed. Their content and
 * their position in the block do not change, even if the feed shows other values. Once, a node inserted an invented log
 * before the real logs and so shifted their indexes. A credited row then lost its quorum, and the expiry verification
 * could no longer explain its money.
 *
 * A row that a quorum has denied in the same block stays denied. Otherwise each change of another row of its
 * transaction would make the denied row block its charge's expiry again.
 *
 * @returns the other rows, which the feed may record
 */
export async function restoreAgreed<Row extends ChainRow>(
  db: Db,
  table: ChainTable,
  { rows, ponderSchema }: { readonly rows: readonly Row[]; readonly ponderSchema: string },
): Promise<readonly Row[]> {
  if (rows.length === 0) return []
  const kept = await db<{ at: number }[]>`
    update ${db(table)} r set missing_since = null, ponder_schema = ${ponderSchema},
      inclusion = case when r.denied_block_hash = r.block_hash then r.inclusion else 'included' end
    from ${recordsetOf(db, rows)}
    where ${hasIdentity(db, table)} and r.block_hash = s."blockHash"
      and (r.agreed_at is not null or r.denied_block_hash = r.block_hash)
    returning s.at`
  const keptAt = new Set(kept.map(({ at }) => at))
  return rows.filter((_, at) => !keptAt.has(at))
}

export type DeniedRow = ChainRow & {
  readonly id: number
  readonly table: ChainTable
  /** Whether the row was already counted. It then counts until an operator strikes it (decisions 9.2). */
  readonly isCounted: boolean
}

/**
 * Marks rows as orphaned, because a quorum denies them in their block. Returns the marked rows. Does not change rows on
 * which a quorum agreed before, orphaned rows, and rows whose block or position has changed since they were read.
 */
export async function markDenied(
  db: Db,
  table: ChainTable,
  rows: readonly ChainRow[],
): Promise<readonly DeniedRow[]> {
  if (rows.length === 0) return []
  const { countedAt } = getColumns(db, table)
  const denied = await db<{ at: number; id: number; isCounted: boolean }[]>`
    update ${db(table)} r set inclusion = 'orphaned', denied_block_hash = r.block_hash
    from ${recordsetOf(db, rows)}
    where ${hasIdentity(db, table)} and r.block_hash = s."blockHash" and r.log_index = s."logIndex"
      and r.inclusion <> 'orphaned' and ${isProvisional(db)}
    returning s.at, r.id, ${countedAt} is not null as is_counted`
  return denied.flatMap(({ at, ...mark }) => {
    const row = rows[at]
    return row === undefined ? [] : [{ ...row, ...mark, table }]
  })
}

/**
 * Marks included rows as missing if no feed has shown them, they are not counted yet, and their block and position have
 * not changed since they were read. A row that a feed has shown becomes missing when the feed no longer shows it.
 */
export async function markUnfedMissing(db: Db, table: ChainTable, rows: readonly ChainRow[]): Promise<void> {
  if (rows.length === 0) return
  await db`
    update ${db(table)} r set inclusion = 'missing', missing_since = date_trunc('milliseconds', now())
    from ${recordsetOf(db, rows)}
    where ${hasIdentity(db, table)} and r.block_hash = s."blockHash" and r.log_index = s."logIndex"
      and r.inclusion = 'included' and r.ponder_schema is null and ${isUncounted(db, table)}`
}

function recordsetOf(db: Db, rows: readonly ChainRow[]) {
  const said = rows.map((row, at) => ({ ...toJsonRow(row), at }))
  return db`jsonb_to_recordset(${db.json(said)}) as s (at int, "chainId" int8, "chargeId" text, kind text,
    "tokenAddress" text, "txHash" text, ordinal int, "blockHash" text, "logIndex" int, "blockNumber" int8,
    "blockTimestamp" int8, party text, "amountAtomic" numeric, "isAccepted" boolean)`
}

function hasIdentity(db: Db, table: ChainTable) {
  const { kind } = getColumns(db, table)
  return db`r.chain_id = s."chainId" and r.tx_hash = s."txHash" and r.token_address = s."tokenAddress"
    and r.charge_id = s."chargeId" and r.ordinal = s.ordinal and ${kind} = s.kind`
}

function saysSame(db: Db, table: ChainTable) {
  const { party, amountAtomic, isAccepted } = getColumns(db, table)
  return db`${hasIdentity(db, table)} and r.block_hash = s."blockHash" and r.log_index = s."logIndex"
    and r.block_number = s."blockNumber" and r.block_timestamp = s."blockTimestamp"
    and ${party} = s.party and ${amountAtomic} = s."amountAtomic" and ${isAccepted} = s."isAccepted"`
}
