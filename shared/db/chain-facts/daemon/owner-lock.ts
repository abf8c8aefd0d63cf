import { setTimeout as delay } from 'node:timers/promises'
import { connect, type Sql } from '../../connect.ts'

/**
 * `held`: this daemon already had the lock; `taken`: this daemon has just acquired the lock, which did not guard its
 * Ponder before; `refused`: another daemon has the lock.
 */
export type LockState = 'held' | 'taken' | 'refused'

/** The lock that makes this daemon the only owner of a deployment's Ponder. */
export type OwnerLock = {
  /**
   * Acquires the lock if it is free, and returns the state.
   *
   * @throws {LockSessionTimeoutError} if no response arrives
   */
  readonly hold: () => Promise<LockState>
  /** Stops polling the session until the next `hold`. Use it while the lock guards no process. */
  readonly relax: () => void
  /** Releases the lock for another daemon. `hold` may acquire the lock again. */
  readonly leave: () => Promise<void>
  /** Closes the connection, which releases the lock. */
  readonly release: () => Promise<void>
}

/** Thrown if the database does not respond on an open connection. Another daemon might have the lock now or soon. */
export class LockSessionTimeoutError extends Error {
  /** Error code of a lost connection, so that callers retry the interrupted operation. */
  readonly code = 'ETIMEDOUT'
}

/** First key of these advisory locks: any constant that no other lock uses. */
const LOCK_CLASS = 0x706f6e64 // 'pond'

/**
 * Both sides detect a lost connection. The holder polls every 2 s and stops waiting after 4 s without a response, at
 * most 6 s after its last message to PostgreSQL. PostgreSQL ends the session, and the lock with it, after 15 s without
 * a message. In the 9 s between, the holder must stop the process that the lock guards.
 */
const ASK_EVERY_MS = 2_000
const ANSWERED_WITHIN_MS = 4_000
export const SESSION_ENDS_AFTER_MS = 15_000

/**
 * Creates a session advisory lock on a dedicated connection.
 *
 * The lock ends with the session, even if the daemon is killed or stops responding. The driver silently reopens a lost
 * connection, so every `hold` checks on the server that the current session has the lock. From a successful `hold`
 * until `relax`, `leave` or `release`, a timer also polls the server every 2 s, because the caller might be busy.
 *
 * @param options.onLost - called if a response is late while the timer runs. The lock is then no longer guaranteed, and
 * the guarded process must stop immediately
 */
export function createOwnerLock(options: {
  readonly databaseUrl: string
  readonly chainId: number
  readonly onLost?: () => void
}): OwnerLock {
  // The lock's second key: the chain id wrapped to 32 bits, because chain ids can exceed int4.
  const key = options.chainId | 0
  let sql = open(options.databaseUrl)
  let beating: NodeJS.Timeout | null = null

  return {
    hold: async () => {
      const state = await answered((db) => ask(db, key))
      if (state === 'refused') rest()
      else beat()
      return state
    },
    relax: rest,
    leave: async () => {
      rest()
      await answered((db) => db`select pg_advisory_unlock(${LOCK_CLASS}::int4, ${key}::int4)`)
    },
    release: async () => {
      rest()
      await sql.end({ timeout: 5 })
    },
  }

  /** Runs a query. If the response is late, replaces the connection and throws. */
  async function answered<Answer>(question: (db: Sql) => PromiseLike<Answer>): Promise<Answer> {
    const asked = sql
    const over = new AbortController()
    const silence = delay(ANSWERED_WITHIN_MS, null, { signal: over.signal }).then(() => {
      if (asked === sql) {
        sql = open(options.databaseUrl)
        void asked.end({ timeout: 0 }).catch(() => undefined) // No caller waits for this connection.
        lose()
      }
      throw new LockSessionTimeoutError(`the database did not respond within ${ANSWERED_WITHIN_MS} ms`)
    })
    try {
      return await Promise.race([question(asked), silence])
    } finally {
      over.abort()
      silence.catch(() => undefined)
    }
  }

  function beat(): void {
    beating ??= setInterval(() => {
      answered((db) => db`select 1`).catch(() => undefined) // `onLost` has reported a timeout; `hold` throws other errors.
    }, ASK_EVERY_MS)
  }

  function rest(): void {
    if (beating !== null) clearInterval(beating)
    beating = null
  }

  function lose(): void {
    if (beating !== null) options.onLost?.()
    rest()
  }
}

function open(url: string): Sql {
  return connect({
    url,
    applicationName: 'ponder-owner',
    maxConnections: 1,
    keepsSessions: true,
    idleSessionTimeoutMs: SESSION_ENDS_AFTER_MS,
  })
}

async function ask(db: Sql, key: number): Promise<LockState> {
  const [row] = await db<[{ state: LockState }]>`
    select case
      when exists (
        select from pg_locks where locktype = 'advisory' and pid = pg_backend_pid() and granted
          and classid = ${LOCK_CLASS}::int8::oid and objid = (${key}::int8 & 4294967295)::oid
      ) then 'held'
      when pg_try_advisory_lock(${LOCK_CLASS}::int4, ${key}::int4) then 'taken'
      else 'refused' end as state`
  return row.state
}
