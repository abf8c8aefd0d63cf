import { invariant } from '../../../domain/errors.ts'
import type { Db } from '../../connect.ts'

/** Returns the database's current time. SQL's `now()` would return the start time of the transaction. */
export async function readDatabaseTime(db: Db): Promise<Date> {
  const [found] = await db<{ at: Date }[]>`select clock_timestamp() as at`
  invariant(found, 'a select without a table returns one row')
  return found.at
}

/**
 * Lists the virtual ids of running transactions that insert accounting entries. Read-only.
 *
 * Such a transaction holds the table's lock from before its first insertion until its end.
 */
export async function listRecorders(db: Db): Promise<readonly string[]> {
  const rows = await db<{ id: string }[]>`
    select virtualtransaction as id from pg_locks
    where locktype = 'relation' and relation = 'accounting_entries'::regclass and mode = 'RowExclusiveLock' and granted
      and database = (select oid from pg_database where datname = current_database())`
  return rows.map(({ id }) => id)
}
