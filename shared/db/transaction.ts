import { setTimeout as delay } from 'node:timers/promises'
import { type Db, errorCode, isConnectionLost, type Sql } from './connect.ts'

/** Who is told how long transactions of a pool waited for a connection; written by `observeWaits` alone. */
const observers = new WeakMap<Sql, (seconds: number) => void>()

/** Has `observe` told, of each transaction of this pool, how long it waited for a connection and its `begin`, in seconds. */
export function observeWaits(sql: Sql, observe: (seconds: number) => void): void {
  observers.set(sql, observe)
}

/** Three losses in a row are no longer chance. */
const MAX_ATTEMPTS = 3

/**
 * Rest before the next attempt, times the number of those before, plus as much again at random. Without it the loser
 * of a deadlock can lock the row anew before the winner, woken by its rollback, gets to it: three losses in a row
 * were seen on a busy machine.
 */
const RETRY_REST_MS = 50

/**
 * Runs `work` in one READ COMMITTED transaction: committed when it returns, rolled back when it throws.
 *
 * After a deadlock or a serialization failure, which PostgreSQL has rolled back, the work is run again, at most
 * three times in all; so it must do nothing outside the database. Other errors are thrown as they are.
 */
export function inTransaction<Result>(sql: Sql, work: (db: Db) => Promise<Result>): Promise<Result> {
  return againIfRolledBack(() => begin(sql, { mode: 'isolation level read committed', work }))
}

/** Has each statement of the caller's transaction fail (55P03) that waits longer than this for a lock of another's. */
export async function limitLockWaits(db: Db, waitMs: number): Promise<void> {
  await db`select set_config('lock_timeout', ${`${waitMs}ms`}, true)`
}

/** Runs one statement, which is a transaction of its own, and runs it again as `inTransaction` does. */
export async function againIfRolledBack<Result>(statement: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await statement()
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !wasRolledBack(error)) throw error
      await delay(RETRY_REST_MS * (attempt + Math.random()))
    }
  }
}

/** Runs `work`, which only reads, on one snapshot of the database. Errors are thrown as they are. */
export function inSnapshot<Result>(sql: Sql, work: (db: Db) => Promise<Result>): Promise<Result> {
  return begin(sql, { mode: 'isolation level repeatable read read only', work })
}

/** Runs `work` in a transaction that can write nothing. Errors are thrown as they are. */
export function inReadOnly<Result>(sql: Sql, work: (db: Db) => Promise<Result>): Promise<Result> {
  return begin(sql, { mode: 'read only', work })
}

/**
 * Begins, works, and commits or rolls back. When the connection is lost, `sql.begin` throws by itself; the work then
 * never ends, because to its failure the driver answers with a rollback on the dead connection (porsager/postgres
 * 1208 and 1215). That threw where nobody can catch it, or kept the connection from ever opening again: each query that
 * was given to it waited 10 s in vain.
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
