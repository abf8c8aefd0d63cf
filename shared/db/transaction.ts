import { setTimeout as delay } from 'node:timers/promises'
import { type Db, errorCode, isConnectionLost, type Sql } from './connect.ts'

/** Observer of each pool's connection waits; only `onConnectionWait` writes it. */
const observers = new WeakMap<Sql, (seconds: number) => void>()

/**
 * Calls `observe` for each transaction of this pool with the time it waited for a connection and for `begin`, in
 * seconds.
 */
export function onConnectionWait(sql: Sql, observe: (seconds: number) => void): void {
  observers.set(sql, observe)
}

/** Three losses in a row are not a coincidence. */
const MAX_ATTEMPTS = 3

/**
 * Delay before the next attempt, times the number of attempts so far, plus up to as much again at random. Without this
 * delay, the loser of a deadlock can lock the row again before the winner, woken by the rollback, reaches it: three
 * losses in a row were seen on a busy machine.
 */
const RETRY_REST_MS = 50

/**
 * Runs `work` in one READ COMMITTED transaction: committed when it returns, rolled back when it throws.
 *
 * After a deadlock or a serialization failure, which PostgreSQL has rolled back, the work runs again, at most three
 * times in total. So it must have no effects outside the database. Other errors are rethrown.
 */
export function inTransaction<Result>(sql: Sql, work: (db: Db) => Promise<Result>): Promise<Result> {
  return retryOnRollback(() => begin(sql, { mode: 'isolation level read committed', work }))
}

/** Makes each later statement of the caller's transaction fail (55P03) if it waits longer than this for a lock. */
export async function limitLockWaits(db: Db, waitMs: number): Promise<void> {
  await db`select set_config('lock_timeout', ${`${waitMs}ms`}, true)`
}

/** Runs one statement in its own transaction, and retries it as `inTransaction` does. */
export async function retryOnRollback<Result>(statement: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await statement()
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !wasRolledBack(error)) throw error
      await delay(RETRY_REST_MS * (attempt + Math.random()))
    }
  }
}

/** Runs `work`, which must only read, on one snapshot of the database. Errors are rethrown. */
export function inSnapshot<Result>(sql: Sql, work: (db: Db) => Promise<Result>): Promise<Result> {
  return begin(sql, { mode: 'isolation level repeatable read read only', work })
}

/** Runs `work` in a read-only transaction. Errors are rethrown. */
export function inReadOnly<Result>(sql: Sql, work: (db: Db) => Promise<Result>): Promise<Result> {
  return begin(sql, { mode: 'read only', work })
}

/**
 * Begins, runs the work, and commits or rolls back. If the connection is lost, `sql.begin` rejects on its own. The work
 * must then never settle, because on its failure the driver sends a rollback over the dead connection
 * (porsager/postgres 1208 and 1215). That threw where no caller can catch it, or kept the connection from ever
 * reopening: each query on it waited 10 s in vain.
 */
async function begin<Result>(
  sql: Sql,
  { mode, work }: { mode: string; work: (db: Db) => Promise<Result> },
): Promise<Result> {
  const askedAtMs = performance.now()
  const result = await sql.begin(mode, (db) => {
    observers.get(sql)?.((performance.now() - askedAtMs) / 1000)
    return work(db).catch((error: unknown) => {
      if (isConnectionLost(error)) return new Promise<never>(() => {})
      throw error
    })
  })
  return result as Result
}

function wasRolledBack(error: unknown): boolean {
  const code = errorCode(error)
  return code === '40P01' || code === '40001'
}
