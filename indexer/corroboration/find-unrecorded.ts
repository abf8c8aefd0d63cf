import { type ChainRow, listChainRows } from '../../shared/db/chain-facts/daemon/chain-rows.ts'
import type { ChainTable } from '../../shared/db/chain-facts/daemon/chain-tables.ts'
import type { Db } from '../../shared/db/connect.ts'

/** Returns the rows for which the ledger has no included row with the same position and content. */
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
  return rows.filter((row) => !known.has(textOf(row)))
}

/** Returns all fields of a row, except its chain, as text. */
function textOf(row: ChainRow): string {
  const { chargeId, kind, tokenAddress, txHash, ordinal, blockHash, logIndex } = row
  const { blockNumber, blockTimestamp, party, amountAtomic, isAccepted } = row
  const identity = [txHash, tokenAddress, chargeId, kind, ordinal, blockHash, logIndex]
  return [...identity, blockNumber, blockTimestamp, party, amountAtomic, isAccepted].join('/')
}
