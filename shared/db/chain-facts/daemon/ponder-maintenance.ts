import type { Db } from '../../connect.ts'

/**
 * Clears the schema lock that a Ponder process left behind, unless a process still uses that schema.
 *
 * The lock might belong to another daemon's running Ponder. If that lock were cleared, two processes would write and
 * rows would be lost. Ponder names its sessions after the schema. The name of another login user's session is hidden;
 * such a session counts as using the schema if the user has Ponder's role.
 *
 * @returns true if the lock was cleared or does not exist; false if the schema is in use
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
 * Deletes all data that Ponder has fetched for a chain. Needed if the cache contains another chain's blocks and logs
 * under this chain's id, because Ponder would use them again.
 */
export async function deletePonderCache(db: Db, chainId: number): Promise<void> {
  const tables = await db<{ name: string }[]>`
    select t.table_name as name from information_schema.tables t
    join information_schema.columns c using (table_schema, table_name)
    where t.table_schema = 'ponder_sync' and t.table_type = 'BASE TABLE' and c.column_name = 'chain_id'`
  for (const { name } of tables) await db`delete from ponder_sync.${db(name)} where chain_id = ${chainId}`
}

/**
 * Increments the owner epoch of a chain, so that Ponder processes of earlier owners can no longer commit.
 *
 * @returns the epoch that the new owner's Ponder processes must use
 */
export async function incrementOwnerEpoch(db: Db, chainId: number): Promise<number> {
  const [row] = await db<[{ ownerEpoch: number }]>`
    update deployments set owner_epoch = owner_epoch + 1 where chain_id = ${chainId} returning owner_epoch`
  return row.ownerEpoch
}

/**
 * Ends the sessions of an earlier owner's Ponder in a schema. Such a session can keep a transaction open for up to an
 * hour, and the next Ponder would wait for its locks.
 *
 * All Ponder processes share one cache (`ponder_sync`), so a session of the cache is ended only if it has been idle in
 * a transaction for 10 s.
 *
 * @returns the number of ended sessions. Sessions that we lack the rights to end remain open
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

/**
 * Deletes Ponder's record of the block ranges that it has fetched for a chain. Needed if the filter or the tokens
 * change, so that Ponder fetches the logs that it lacks.
 */
export async function deletePonderRanges(db: Db, chainId: number): Promise<void> {
  const [table] = await db`
    select from information_schema.tables where table_schema = 'ponder_sync' and table_name = 'intervals'`
  if (table === undefined) return
  await db`delete from ponder_sync.intervals where chain_id = ${chainId}`
}

/**
 * Drops the tables of a retired generation, whose rows are already in our own tables. Must run in a transaction.
 *
 * @param schema - a schema that no Ponder process uses
 */
export async function dropPonderSchema(db: Db, schema: string): Promise<void> {
  await db`set local lock_timeout = '1s'`
  await db`drop schema if exists ${db(`${schema}_v`)} cascade`
  await db`drop schema if exists ${db(schema)} cascade`
  await db`delete from chain_heads where ponder_schema = ${schema}`
}
