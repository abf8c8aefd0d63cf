import { setTimeout as delay } from 'node:timers/promises'
import { connect, type Sql } from '../../connect.ts'

/** `held`: it is ours since before; `taken`: only now, so whatever it guarded was unguarded; `refused`: another's. */
export type LockState = 'held' | 'taken' | 'refused'

/** The lock that makes this daemon the one owner of a deployment's Ponder. */
export type OwnerLock = {
  /** Takes the lock if it can be had, and says since when it is held. @throws {SilentDatabaseError} */
  readonly hold: () => Promise<LockState>
  /** Leaves it to another daemon; it may be taken again. */
  readonly leave: () => Promise<void>
  /** Ends the connection, and with it the lock. */
  readonly release: () => Promise<void>
}

/** The database kept our connection and did not answer: the lock may be another's by now, or soon. */
export class SilentDatabaseError extends Error {
  /** As of a connection that is lost: what it interrupted may be done again. */
  readonly code = 'ETIMEDOUT'
}

/** First key of our advisory locks of this kind; any constant will do as long as nothing else uses it. */
const LOCK_CLASS = 0x706f6e64 // 'pond'

/**
 * How a silent owner is noticed, on either side. The holder asks every 2 s and gives up after 4 s without an answer: so
 * at most 6 s after PostgreSQL last heard of him. PostgreSQL ends his session, and with it the lock, when it has heard
 * nothing for 15 s. What lies between is his to end what the lock guards.
 */
const ASK_EVERY_MS = 2_000
const ANSWERED_WITHIN_MS = 4_000
const SESSION_ENDS_AFTER_MS = 15_000

/**
 * Makes a session advisory lock on a connection of its own.
 *
 * It ends with the session, however the daemon dies or falls silent. The driver opens a lost connection again without
 * a word, so holding is asked of the server each time, by the session that answers; and while the lock is held, every
 * 2 s apart from what the caller asks, who may be waiting for something else.
 *
 * @param options.onLost - called once when the lock can no longer be vouched for; what it guards must end at once
 */
export function createOwnerLock(options: {
  readonly databaseUrl: string
  readonly chainId: number
  readonly onLost?: () => void
}): OwnerLock {
  // Chain ids reach beyond int4; the lock's second key is the same number wrapped.
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
    leave: async () => {
      rest()
      await answered((db) => db`select pg_advisory_unlock(${LOCK_CLASS}::int4, ${key}::int4)`)
    },
    release: async () => {
      rest()
      await sql.end({ timeout: 5 })
    },
  }

  /** What does not answer in time is thrown away, and the next question opens another connection. */
  async function answered<Answer>(question: (db: Sql) => PromiseLike<Answer>): Promise<Answer> {
    const asked = sql
    const over = new AbortController()
    const silence = delay(ANSWERED_WITHIN_MS, null, { signal: over.signal }).then(() => {
      if (asked === sql) {
        sql = open(options.databaseUrl)
        void asked.end({ timeout: 0 }).catch(() => undefined) // Nobody waits for it any more.
        lose()
      }
      throw new SilentDatabaseError(`the database did not answer within ${ANSWERED_WITHIN_MS} ms`)
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
      answered((db) => db`select 1`).catch(() => undefined) // Silence has been told; of the rest `hold` will hear.
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
