import type { Sql } from '../../shared/db/connect.ts'
import {
  COUNTED_TABLES,
  countDueProofTasks,
  insertMissingProofTasks,
} from '../../shared/db/evidence/daemon/missing-proof-tasks.ts'

/** Rows read per turn, in a few milliseconds. At one turn per second, a million rows take 17 minutes. */
const ROWS_PER_TURN = 1_000
/**
 * Maximum tasks that a turn inserts. While at least 60 tasks are due, a turn inserts none, so that the proofs of new
 * payments are not delayed.
 */
const TASKS_PER_TURN = 60

/**
 * Creates the turn that searches all counted rows once for rows without a proof task. Such a row was counted by a
 * release without proofs, possibly during an upgrade, or its block has changed since it was counted.
 */
export function createMissingTaskSearch(
  sql: Sql,
  chainIds: readonly number[],
): () => Promise<'more' | 'idle'> {
  const tables = [...COUNTED_TABLES]
  let afterId = 0
  return async () => {
    const [table] = tables
    if (table === undefined) return 'idle'
    const due = await countDueProofTasks(sql, { chainIds, max: TASKS_PER_TURN })
    if (due === TASKS_PER_TURN) return 'idle'
    const batch = { table, afterId, chainIds, maxRows: ROWS_PER_TURN, maxTasks: TASKS_PER_TURN }
    const lastId = await insertMissingProofTasks(sql, batch)
    if (lastId === null) tables.shift()
    afterId = lastId ?? 0
    return 'idle'
  }
}
