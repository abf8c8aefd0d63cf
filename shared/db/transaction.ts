import { setTimeout as delay } from 'node:timers/promises'
import { type Db, errorCode, isConnectionLost, type Sql } from './connect.ts'

/** Observers of the time that transactions wait for a connection, by pool. */
const observers = new WeakMap<Sql, (seconds: number) => void>()

/**
 * Calls `observe` for each transaction of this pool with the seconds that it waited for a connection and for `begin`.
 */
export function onConnectionWait(sql: Sql, observe: (seconds: number) => void): void {
  observers.set(sql, observe)
}

/** Maximum attempts of a transaction. Three rollbacks in a row are not a coincidence. */
const MAX_ATTEMPTS = 3

/**
 * Delay before the next attempt, in milliseconds. It is multiplied by the number of attempts so far, and a random delay
 * of up to 50 ms is added. Without the delay, the loser of a deadlock can lock the row again before the winner, which
 * the rollback wakes, reaches the row. This happened three times in a row on a busy machine.
 */
const RETRY_REST_MS = 50

/**
 * Runs `work` in one READ COMMITTED transaction. Commits if `work` returns, and rolls back if it throws.
 *
 * After a deadlock or a serialization failure, `work` runs again, at most three times in total, so it must have no
 * effects outside the database. Other errors are rethrown.
 */
export function inTransaction<Result>(sql: Sql, work: (db: Db) => Promise<Result>): Promise<Result> {
  return retryOnRollback(() => begin(sql, { mode: 'isolation level read committed', work }))
}

/** Makes each later statement of the caller's transaction fail (55P03) if it waits longer than this for a lock. */
export async function limitLockWaits(db: Db, waitMs: number): Promise<void> {
  await db`select set_config('lock_timeout', ${`${waitMs}ms`}, true)`
}

/** Runs a statement or transaction, and runs it again after a rollback, as `inTransaction` describes. */
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

/** Runs `work`, which must only read, on one snapshot of the database. */
export function inSnapshot<Result>(sql: Sql, work: (db: Db) => Promise<Result>): Promise<Result> {
  return begin(sql, { mode: 'isolation level repeatable read read only', work })
}

/** Runs `work` in a read-only transaction. */
export function inReadOnly<Result>(sql: Sql, work: (db: Db) => Promise<Result>): Promise<Result> {
  return begin(sql, { mode: 'read only', work })
}

/**
 * If the connection is lost, `sql.begin` rejects. From then on, the driver must send nothing for this transaction: no
 * query of the work, no commit and no rollback (porsager/postgres 1208 and 1215). Otherwise the driver would throw
 * where no caller can catch the error, never reopen the connection, or execute the query outside of the transaction.
 * Later queries therefore fail, and the promise passed to the driver never settles.
 */
async function begin<Result>(
  sql: Sql,
  { mode, work }: { mode: string; work: (db: Db) => Promise<Result> },
): Promise<Result> {
  const askedAtMs = performance.now()
  let isLost = false
  const begun = sql.begin(mode, async (db) => {
    observers.get(sql)?.((performance.now() - askedAtMs) / 1000)
    try {
      const result = await work(failAfterLoss(db, () => isLost))
      await lossReported()
      if (!isLost) return result
    } catch (error) {
      await lossReported()
      if (!isLost && !isConnectionLost(error)) throw error
    }
    return new Promise<never>(() => {})
  })
  begun.catch(() => {
    isLost = true
  })
  return (await begun) as Result
}

/** Waits until the driver has reported a lost connection, because it reports the failure of the lost query first. */
function lossReported(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve))
}

/** Returns the same connection, but its queries throw once the connection is lost. */
function failAfterLoss<Connection extends Db>(db: Connection, isLost: () => boolean): Connection {
  return new Proxy(db, {
    apply: (query, self, input) => {
      if (isLost())
        throw Object.assign(new Error('the connection of this transaction was lost'), {
          code: 'CONNECTION_CLOSED',
        })
      return Reflect.apply(query, self, input) as unknown
    },
  })
}

function wasRolledBack(error: unknown): boolean {
  const code = errorCode(error)
  return code === '40P01' || code === '40001'
}
