import { invariant } from '../../../domain/errors.ts'
import type { Db } from '../../connect.ts'

/** Returns the time of the database now; `now()` is that of the transaction's beginning. */
export async function readDatabaseTime(db: Db): Promise<Date> {
  const [found] = await db<{ at: Date }[]>`select clock_timestamp() as at`
  invariant(found, 'a select without a table returns one row')
  return found.at
}

/**
 * Lists the transactions that have inserted accounting entries and not ended yet, by their virtual ids. Read-only.
 *
 * A transaction holds this lock from before its first insertion until its end.
 */
export async function listRecorders(db: Db): Promise<readonly string[]> {
  const rows = await db<{ id: string }[]>`
    select virtualtransaction as id from pg_locks
    where locktype = 'relation' and relation = 'accounting_entries'::regclass and mode = 'RowExclusiveLock' and granted
      and database = (select oid from pg_database where datname = current_database())`
  return rows.map(({ id }) => id)
}
