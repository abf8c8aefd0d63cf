import type { Db } from '../../connect.ts'

/**
 * The condition that a row, of a table by that alias, is at confirmation depth: under the head of its deployment `d`,
 * or in the very inclusion that reconciliation found at depth by itself, while Ponder is down.
 *
 * @see decisions 2.6
 */
export function atDepth(db: Db, alias: 't' | 'e' | 'm') {
  const row = db(alias)
  return db`(${row}.block_number <= d.head_number - d.confirmations + 1
    or coalesce(${row}.deep_block_hash = ${row}.block_hash, false))`
}
