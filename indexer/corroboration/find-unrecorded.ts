import {
  type ChainRow,
  listChainRows,
  listDeniedCountedRows,
} from '../../shared/db/chain-facts/daemon/chain-rows.ts'
import type { ChainTable } from '../../shared/db/chain-facts/daemon/chain-tables.ts'
import type { Db } from '../../shared/db/connect.ts'

/**
 * Returns the rows for which the ledger has no included row with the same position and content.
 *
 * Omits a row whose ledger row is counted with other content and was denied in this block, because that row waits for
 * an operator. If it were recorded as included again, each scan would deny it again, with an alert. If the content is
 * the same again, the row is returned, so that it is included again.
 */
export async function findUnrecorded<Row extends ChainRow>(
  db: Db,
  table: ChainTable,
  rows: readonly Row[],
): Promise<readonly Row[]> {
  const [first] = rows
  if (first === undefined) return []
  // All rows belong to one chain, because the caller read them from the nodes of one chain.
  const of = { chainId: first.chainId, txHashes: [...new Set(rows.map(({ txHash }) => txHash))] }
  const known = new Set((await listChainRows(db, table, of)).map(textOf))
  const unknown = rows.filter((row) => !known.has(textOf(row)))
  if (unknown.length === 0) return unknown
  const denied = await listDeniedCountedRows(db, table, of)
  const contents = new Map(denied.map((row) => [positionOf(row), contentOf(row)]))
  return unknown.filter((row) => (contents.get(positionOf(row)) ?? contentOf(row)) === contentOf(row))
}

/** Returns all fields of a row, except its chain, as text. */
function textOf(row: ChainRow): string {
  return [positionOf(row), row.blockNumber, row.blockTimestamp, contentOf(row)].join('/')
}

/** Returns the identity of a row and the position of its log as text. */
export function positionOf(row: ChainRow): string {
  const { chargeId, kind, tokenAddress, txHash, ordinal, blockHash, logIndex } = row
  return [txHash, tokenAddress, chargeId, kind, ordinal, blockHash, logIndex].join('/')
}

/** Returns the values of a row that the terms of its charge and the log determine, as text. */
export function contentOf({ party, amountAtomic, isAccepted }: ChainRow): string {
  return [party, amountAtomic, isAccepted].join('/')
}
