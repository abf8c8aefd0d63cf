import type { Db, Sql } from './connect.ts'

/** Properties of a session, as the session itself reports them. */
type SessionState = {
  readonly isInRecovery: boolean
  /** Whether the session's role may take session-level advisory locks. */
  readonly mayLock: boolean
  readonly settings: Readonly<Record<string, string>>
}

/** Reads the properties of a session, and its settings as `show` prints them. */
export async function readSessionState(db: Db): Promise<SessionState> {
  const [state] = await db<[SessionState]>`
    select pg_is_in_recovery() as is_in_recovery,
      has_function_privilege('pg_catalog.pg_try_advisory_lock(int4, int4)', 'execute') as may_lock,
      (select json_object_agg(name, current_setting(name)) from pg_settings
       where name in ('statement_timeout', 'idle_in_transaction_session_timeout', 'idle_session_timeout',
         'search_path', 'TimeZone')) as settings`
  return state
}

/** Rounds of reads. A pooler that assigns its sessions at random is detected with a probability above 99.9 %. */
const ROUNDS = 5

/**
 * Returns whether each connection keeps its own session, instead of getting another session for each transaction.
 *
 * Two simultaneous transactions first make a pooler open two sessions, which it could then mix up.
 */
export async function hasOwnSession(first: Sql, second: Sql): Promise<boolean> {
  await Promise.all([first`begin`, second`begin`])
  await Promise.all([first`commit`, second`commit`])
  const [firsts, seconds] = [new Set<number>(), new Set<number>()]
  for (let round = 0; round < ROUNDS; round += 1) {
    firsts.add(await readPid(first))
    seconds.add(await readPid(second))
    firsts.add(await readPid(first))
  }
  return firsts.size === 1 && seconds.size === 1 && new Set([...firsts, ...seconds]).size === 2
}

async function readPid(db: Db): Promise<number> {
  const [row] = await db<[{ pid: number }]>`select pg_backend_pid() as pid`
  return row.pid
}
