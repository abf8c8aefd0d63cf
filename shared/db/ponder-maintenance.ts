import type { Db } from './connect.ts'

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
               else pg_has_role(usesysid, 'svc_daemon', 'usage') end
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

/** Makes Ponder forget which ranges of a chain it has fetched: another filter, or other tokens, keep other logs. */
export async function dropPonderCache(db: Db, chainId: number): Promise<void> {
  const [table] = await db`
    select from information_schema.tables where table_schema = 'ponder_sync' and table_name = 'intervals'`
  if (table === undefined) return
  await db`delete from ponder_sync.intervals where chain_id = ${chainId}`
}
