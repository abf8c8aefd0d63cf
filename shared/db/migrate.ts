import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Db, errorCode, isConnectionLost, type Sql } from './connect.ts'

/** One file of `migrations/`. Its id is the file name without `.sql`. */
export type Migration = {
  readonly id: string
  readonly text: string
  /** SHA-256 of the text, hex. */
  readonly checksum: string
  /**
   * Whether the migration runs in a transaction; false if its first line is `-- no-transaction`, as `create index
   * concurrently` requires.
   */
  readonly isTransactional: boolean
}

type ReservedConnection = Awaited<ReturnType<Sql['reserve']>>

type AppliedMigration = { readonly id: string; readonly checksum: string }

/** Thrown if the applied migrations do not match the files. An operator must decide which of them are right. */
export class MigrationError extends Error {}

/** Key of the advisory lock that is held during a migration: "migr" in ASCII. */
const LOCK_KEY = 0x6d696772

export type LockWaitOptions = {
  /** Maximum time that a statement of the migration waits for a lock. */
  readonly lockTimeoutMs: number
  readonly attempts: number
  /** Delay before the next attempt. */
  readonly restMs: number
}

/**
 * A session that waits for an exclusive lock blocks every later session on the table, readers included. A migration
 * therefore gives up after 3 s and lets those sessions proceed. Thirty attempts take two and a half minutes.
 */
const PATIENCE: LockWaitOptions = { lockTimeoutMs: 3_000, attempts: 30, restMs: 2_000 }

/** SQLSTATE `lock_not_available`. */
const NO_LOCK = '55P03'

/**
 * Applies every pending migration in order, each in its own transaction unless it is marked `-- no-transaction`. The
 * connection must belong to the schema's owner.
 *
 * A second process that migrates waits for the first, and then has no migration to apply. A migration that fails is
 * rolled back, unless it has no transaction, and earlier migrations stay applied. A migration that gets no lock in time
 * is rolled back and retried.
 *
 * @param migrations - by default the files next to this module, in sources and in `dist/`
 * @returns the ids of the migrations that were applied now, in order
 * @throws {MigrationError} if an applied file has changed or is missing, or a new file sorts before the last applied
 * one
 */
export async function migrate(
  sql: Sql,
  migrations: readonly Migration[] = readMigrations(),
  patience: LockWaitOptions = PATIENCE,
): Promise<readonly string[]> {
  const connection = await sql.reserve()
  try {
    const applied = await applyPending(connection, migrations, patience)
    await giveBack(connection)
    return applied
  } catch (error) {
    // A lost connection no longer holds a lock. A query on it would make the driver throw an error that no caller can
    // catch.
    const isLost = isConnectionLost(error) || (error instanceof Error && isConnectionLost(error.cause))
    if (!isLost) await giveBack(connection)
    throw error
  }
}

/**
 * Lists the migrations that `migrate` would apply, in order. An empty list means that this build and the schema match.
 *
 * @throws {MigrationError} as `migrate` does
 */
export async function listPendingMigrations(
  db: Db,
  migrations: readonly Migration[] = readMigrations(),
): Promise<readonly string[]> {
  const [ledger] = await db<
    { exists: boolean }[]
  >`select to_regclass('schema_migrations') is not null as exists`
  const applied = ledger?.exists ? await listApplied(db) : []
  return pendingAfter(applied, migrations).map(({ id }) => id)
}

/** Reads the migrations, sorted by name. */
export function readMigrations(
  directory = fileURLToPath(new URL('./migrations', import.meta.url)),
): readonly Migration[] {
  const names = readdirSync(directory).filter((name) => name.endsWith('.sql'))
  return names.toSorted().map((name) => {
    const text = readFileSync(`${directory}/${name}`, 'utf8')
    return { id: name.slice(0, -'.sql'.length), text, ...describe(text) }
  })
}

async function applyPending(
  connection: Db,
  migrations: readonly Migration[],
  patience: LockWaitOptions,
): Promise<readonly string[]> {
  await connection`set statement_timeout = 0` // must be first, because the wait for the advisory lock has no limit
  await connection`select pg_advisory_lock(${LOCK_KEY})`
  await createLedger(connection)
  const pending = pendingAfter(await listApplied(connection), migrations)
  for (const migration of pending) await applyPatiently(connection, migration, patience)
  return pending.map(({ id }) => id)
}

/** Returns the connection to its pool without locks and with its original statement timeout. */
async function giveBack(connection: ReservedConnection): Promise<void> {
  await connection`select pg_advisory_unlock_all()`
  await connection`reset statement_timeout`
  connection.release()
}

function describe(text: string): Pick<Migration, 'checksum' | 'isTransactional'> {
  return {
    checksum: createHash('sha256').update(text).digest('hex'),
    isTransactional: !/^-- no-transaction\b/.test(text),
  }
}

function pendingAfter(
  applied: readonly AppliedMigration[],
  migrations: readonly Migration[],
): readonly Migration[] {
  requireFiles(applied, migrations)
  requireSameTexts(applied, migrations)
  const last = applied.at(-1)?.id ?? ''
  const pending = migrations.filter(({ id }) => !applied.some((earlier) => earlier.id === id))
  const early = pending.find(({ id }) => id < last)
  if (early) {
    throw new MigrationError(
      `migration ${early.id} is new but sorts before ${last}, which is applied: give the new one a higher number`,
    )
  }
  return pending
}

/**
 * Throws if the file of an applied migration is missing. Must run before the texts are compared: a missing file proves
 * that another build migrated this database, which can also explain a changed file.
 */
function requireFiles(applied: readonly AppliedMigration[], migrations: readonly Migration[]): void {
  const unknown = applied.find(({ id }) => !migrations.some((file) => file.id === id))
  if (unknown === undefined) return
  throw new MigrationError(
    `migration ${unknown.id} is applied but its file is missing: deploy a build that has it (this one is older); ` +
      'a database from before 2026-11-24 must be recreated (docs/upgrades.md)',
  )
}

function requireSameTexts(applied: readonly AppliedMigration[], migrations: readonly Migration[]): void {
  for (const { id, checksum } of applied) {
    const file = migrations.find((one) => one.id === id)
    if (file === undefined || file.checksum === checksum) continue
    throw new MigrationError(
      `migration ${id} has changed since it was applied (${checksum.slice(0, 12)}, now ` +
        `${file.checksum.slice(0, 12)}): restore the file and write the change as a new migration`,
    )
  }
}

/** Retries a migration that found a table in use. A migration without a transaction waits without limit. */
async function applyPatiently(
  connection: Db,
  migration: Migration,
  patience: LockWaitOptions,
): Promise<void> {
  const { attempts, restMs } = patience
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await apply(connection, migration, patience)
    } catch (error) {
      const isInUse = error instanceof Error && errorCode(error.cause) === NO_LOCK
      if (!isInUse || !migration.isTransactional) throw error
      if (attempt >= attempts)
        throw new Error(`${error.message}; the migration was tried ${attempts} times: see pg_locks`, {
          cause: error,
        })
      await delay(restMs)
    }
  }
}

/** A migration without a transaction can fail between its statements, so it must be safe to run again. */
async function apply(
  connection: Db,
  { id, text, checksum, isTransactional }: Migration,
  { lockTimeoutMs }: LockWaitOptions,
): Promise<void> {
  try {
    if (isTransactional) {
      await connection`begin`
      await connection`select set_config('lock_timeout', ${String(lockTimeoutMs)}, true)`
    }
    await connection.unsafe(text).simple()
    await connection`insert into schema_migrations (id, checksum) values (${id}, ${checksum})`
    if (isTransactional) await connection`commit`
  } catch (error) {
    const isLost = isConnectionLost(error)
    if (isTransactional && !isLost) await connection`rollback`
    const reason = error instanceof Error ? error.message : String(error)
    const outcome = isTransactional && !isLost ? 'was rolled back' : 'stopped halfway and may be run again'
    throw new Error(`migration ${id} ${outcome}: ${reason}`, { cause: error })
  }
}

async function createLedger(db: Db): Promise<void> {
  await db`
    create table if not exists schema_migrations (
      id         text primary key,
      checksum   text not null,
      applied_at timestamptz not null default now()
    )`
  await db`grant select on schema_migrations to public`
}

async function listApplied(db: Db): Promise<readonly AppliedMigration[]> {
  return db<AppliedMigration[]>`select id, checksum from schema_migrations order by id`
}
