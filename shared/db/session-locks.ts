import { setTimeout as delay } from 'node:timers/promises'
import type { Db, Sql } from './connect.ts'

/** First key of the locks of this check: "chek" in ASCII. */
const LOCK_CLASS = 0x6368656b

/**
 * Maximum checks for the release of an ended session's locks, and the pause between two checks, in milliseconds. The
 * server releases the locks within milliseconds.
 */
const RELEASED_WITHIN = { looks: 200, restMs: 10 }

const REMEDY =
  'a daemon needs PostgreSQL itself, connected directly, because a lock makes it the owner of a chain'

/**
 * Returns the first problem with advisory locks, or an empty list if two sessions exclude each other, the lock is
 * visible and can be released, and a lock ends together with its session's connection. The last of these tests closes
 * the second connection.
 */
export async function findLockProblems(first: Sql, second: Sql, key: number): Promise<readonly string[]> {
  if (!(await tryLock(first, key))) return [`a free advisory lock was not granted: ${REMEDY}`]
  if (await tryLock(second, key)) return [`two sessions got the same advisory lock: ${REMEDY}`]
  if (!(await isLockShown(first, key))) return [`pg_locks does not show a lock of its session: ${REMEDY}`]
  if (!(await unlock(first, key)) || !(await tryLock(second, key)))
    return [`a released advisory lock was not granted to another session: ${REMEDY}`]
  await second.end({ timeout: 0 })
  for (let look = 0; look < RELEASED_WITHIN.looks; look += 1) {
    if (await tryLock(first, key)) return []
    await delay(RELEASED_WITHIN.restMs)
  }
  return [`an advisory lock outlived the connection that held it: ${REMEDY}`]
}

async function tryLock(db: Db, key: number): Promise<boolean> {
  const [row] = await db<[{ isGranted: boolean }]>`
    select pg_try_advisory_lock(${LOCK_CLASS}::int4, ${key}::int4) as is_granted`
  return row.isGranted
}

async function unlock(db: Db, key: number): Promise<boolean> {
  const [row] = await db<[{ wasHeld: boolean }]>`
    select pg_advisory_unlock(${LOCK_CLASS}::int4, ${key}::int4) as was_held`
  return row.wasHeld
}

async function isLockShown(db: Db, key: number): Promise<boolean> {
  const [row] = await db<[{ isShown: boolean }]>`
    select exists (
      select from pg_locks where locktype = 'advisory' and granted and pid = pg_backend_pid()
        and classid = ${LOCK_CLASS}::int8::oid and objid = ${key}::int8::oid
    ) as is_shown`
  return row.isShown
}
