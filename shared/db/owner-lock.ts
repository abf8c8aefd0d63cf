import { connect, type Sql } from './connect.ts'

/** `held`: it is ours since before; `taken`: only now, so whatever it guarded was unguarded; `refused`: another's. */
export type LockState = 'held' | 'taken' | 'refused'

/** The lock that makes this daemon the one owner of a deployment's Ponder. */
export type OwnerLock = {
  /** Takes the lock if it can be had, and says since when it is held. */
  readonly hold: () => Promise<LockState>
  /** Leaves it to another daemon; it may be taken again. */
  readonly leave: () => Promise<void>
  /** Ends the connection, and with it the lock. */
  readonly release: () => Promise<void>
}

/** First key of our advisory locks of this kind; any constant will do as long as nothing else uses it. */
const LOCK_CLASS = 0x706f6e64 // 'pond'

/**
 * Makes a session advisory lock on a connection of its own.
 *
 * It ends with the session, however the daemon dies. The driver opens a lost connection again without a word, so
 * holding is asked of the server each time, by the session that answers.
 */
export function createOwnerLock(options: {
  readonly databaseUrl: string
  readonly chainId: number
}): OwnerLock {
  const sql: Sql = connect({
    url: options.databaseUrl,
    applicationName: 'ponder-owner',
    maxConnections: 1,
    keepsSessions: true,
  })
  // Chain ids reach beyond int4; the lock's second key is the same number wrapped.
  const key = options.chainId | 0
  return {
    hold: async () => {
      const [row] = await sql<[{ state: LockState }]>`
        select case
          when exists (
            select from pg_locks where locktype = 'advisory' and pid = pg_backend_pid() and granted
              and classid = ${LOCK_CLASS}::int8::oid and objid = (${key}::int8 & 4294967295)::oid
          ) then 'held'
          when pg_try_advisory_lock(${LOCK_CLASS}::int4, ${key}::int4) then 'taken'
          else 'refused' end as state`
      return row.state
    },
    leave: async () => {
      await sql`select pg_advisory_unlock(${LOCK_CLASS}::int4, ${key}::int4)`
    },
    release: () => sql.end({ timeout: 5 }),
  }
}
