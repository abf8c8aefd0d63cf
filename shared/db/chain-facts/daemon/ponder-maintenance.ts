import type { Db } from '../../connect.ts'

/**
 * Frees the schema lock that a Ponder process left behind, unless some process still works in that schema.
 *
 * Ours may have exited while it only waited for the lock of another daemon's, and freeing the lock of a live owner
 * loses rows: two would write. Ponder names its sessions after the schema; one whose name we may not see, of another
 * login user with our role, counts as such.
 *
 * @returns false if the lock was left because the schema is in use
 */
export async function clearPonderLock(db: Db, schema: string): Promise<boolean> {
  const [table] = await db`
    select from information_schema.tables where table_schema = ${schema} and table_name = '_ponder_meta'`
  if (table === undefined) return true
  const [user] = await db`
    select from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()
      and case when pg_has_role(usesysid, 'usage') then starts_with(application_name, ${`${schema}_`})
               else pg_has_role(usesysid, 'svc_ponder', 'usage') end
    limit 1`
  if (user !== undefined) return false
  await db`update ${db(schema)}._ponder_meta set value = jsonb_set(value, '{is_locked}', '0') where key = 'app'`
  return true
}

/**
 * Makes Ponder forget everything it has fetched of a chain: blocks and logs of another one stand among it under the
 * name of this one, and would be shown again.
 */
export async function forgetPonderCache(db: Db, chainId: number): Promise<void> {
  const tables = await db<{ name: string }[]>`
    select t.table_name as name from information_schema.tables t
    join information_schema.columns c using (table_schema, table_name)
    where t.table_schema = 'ponder_sync' and t.table_type = 'BASE TABLE' and c.column_name = 'chain_id'`
  for (const { name } of tables) await db`delete from ponder_sync.${db(name)} where chain_id = ${chainId}`
}

/**
 * Makes the caller's daemon the next owner of a chain's Ponders: those of every earlier one commit nothing any more.
 *
 * @returns the epoch that the new owner's Ponders must name
 */
export async function raiseOwnerEpoch(db: Db, chainId: number): Promise<number> {
  const [row] = await db<[{ ownerEpoch: number }]>`
    update deployments set owner_epoch = owner_epoch + 1 where chain_id = ${chainId} returning owner_epoch`
  return row.ownerEpoch
}

/**
 * Ends the sessions that an earlier owner's Ponder has in a schema, which it may have left in the middle of a
 * transaction: Ponder lets such a one live for an hour, and the next Ponder waits for its locks.
 *
 * Ponder's own cache is shared by all its processes; there only sessions end that lie idle in a transaction.
 *
 * @returns how many there were, of those that we may end
 */
export async function endPonderSessions(db: Db, schema: string): Promise<number> {
  const rows = await db`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and pg_has_role(usesysid, 'usage')
      and (starts_with(application_name, ${`${schema}_`})
        or (application_name = 'ponder_sync' and state like 'idle in transaction%'
          and state_change < now() - interval '10 seconds'))`
  return rows.length
}

/** Makes Ponder forget which ranges of a chain it has fetched: another filter, or other tokens, keep other logs. */
export async function dropPonderCache(db: Db, chainId: number): Promise<void> {
  const [table] = await db`
    select from information_schema.tables where table_schema = 'ponder_sync' and table_name = 'intervals'`
  if (table === undefined) return
  await db`delete from ponder_sync.intervals where chain_id = ${chainId}`
}
