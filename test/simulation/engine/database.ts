import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { hasCheckpoint, installTriggers } from '../../../shared/db/chain-facts/daemon/ponder-tables.ts'
import { connect, type Sql } from '../../../shared/db/connect.ts'
import { migrate } from '../../../shared/db/migrate.ts'
import { type RunningPostgres, startPostgres } from '../../devnet/embedded-postgres.ts'
import { isAlive } from '../../devnet/is-alive.ts'
import { getDataDirectory } from '../../support/data-place.ts'
import type { LockWatch } from './gated-socket.ts'
import { pause } from './owned-process.ts'
import { createSessionPool, OURS_FIRST, type SessionPool } from './session-pool.ts'
import type { Statements } from './statements.ts'
import { warmUp } from './warm-up.ts'

/** A PostgreSQL server with one database per seed. */
export type SimulatedServer = {
  readonly statements: Statements
  readonly openDatabase: () => Promise<SimulatedDatabase>
  readonly stop: () => Promise<void>
}

/** The database of one history. */
export type SimulatedDatabase = {
  readonly name: string
  /** The owner's connection, for preparing and inspecting data. It uses no simulated clock and no gated socket. */
  readonly sql: Sql
  /** Ponder's connection, also without simulated clock and gated socket. */
  readonly ponderSql: Sql
  readonly sessions: SessionPool
  readonly locks: LockWatch
  readonly drop: () => Promise<void>
}

const TEMPLATE = 'simulation_template'

export const OWNER = 'simulation_owner'

/** Roles with which the simulated processes log in. */
export const LOGINS = {
  api: 'simulation_api',
  daemon: 'simulation_daemon',
  ponder: 'simulation_ponder',
} as const

/**
 * Replacements for SQL functions whose results differ between runs: the time, UUIDs and random numbers. The time is the
 * last simulated time that was set in the session, or the real time if none was set. The functions are in `public`,
 * which all sessions search before `pg_catalog`.
 */
const OWNED_FUNCTIONS = `
  create function public.now() returns timestamptz language sql stable as $$
    select coalesce(nullif(pg_catalog.current_setting('simulation.now', true), '')::timestamptz, pg_catalog.now()) $$;
  create function public.clock_timestamp() returns timestamptz language sql stable as $$ select public.now() $$;
  create sequence public.simulated_chance;
  create function public.gen_random_uuid() returns uuid language sql volatile security definer as $$
    select pg_catalog.md5(pg_catalog.nextval('public.simulated_chance')::text)::uuid $$;
  create function public.random() returns double precision language sql volatile security definer as $$
    select ('x' || substr(pg_catalog.md5(pg_catalog.nextval('public.simulated_chance')::text), 1, 8))::bit(32)::bigint
      / 4294967296.0 $$;`

/**
 * Starts the server, and creates the template database that is copied for every history.
 *
 * @param arrange - inserts the initial rows of every history, as the owner
 * @param chainIds - the chains whose Ponder tables are created
 */
export async function startServer(
  chainIds: readonly number[],
  arrange: (sql: Sql) => Promise<void>,
): Promise<SimulatedServer> {
  const dataDirectory = join(
    getDataDirectory(),
    `stablecoin-simulation-${process.getuid?.() ?? 0}-${process.pid}`,
  )
  const server = await startPostgres({ dataDirectory, port: 0, fsync: false })
  const admin = await open(server.url)
  await warmUp()
  await prepareCluster(admin)
  await prepareTemplate(server, { admin, chainIds, arrange })
  let count = 0
  return {
    statements: new Map(),
    openDatabase: async () => {
      count += 1
      return openDatabase({ server, admin, name: `simulation_${count}` })
    },
    stop: async () => {
      await admin.end()
      await server.stop()
      rmSync(server.dataDirectory, { recursive: true, force: true })
    },
  }
}

/**
 * Disables background work and logging that the simulator does not need, and uses generic plans, so that each session
 * plans a statement only once. Deadlocks are detected by the simulator itself (`gated-socket.ts`).
 */
const SETTINGS = [
  ...["deadlock_timeout = '1d'", 'autovacuum = off', 'synchronous_commit = off', 'jit = off'],
  ...["plan_cache_mode = 'force_generic_plan'", 'update_process_title = off', 'track_counts = off'],
  ...["bgwriter_delay = '10s'", "wal_writer_delay = '10s'", "checkpoint_timeout = '1d'"],
  ...["log_min_messages = 'fatal'", "log_min_error_statement = 'panic'", 'log_checkpoints = off'],
]

async function prepareCluster(admin: Sql): Promise<void> {
  for (const setting of SETTINGS) await admin.unsafe(`alter system set ${setting}`)
  await admin.unsafe('select pg_reload_conf()')
  await admin.unsafe(`create role ${OWNER} login createrole`)
  // The standby disables triggers and foreign keys while it restores rows.
  await admin.unsafe(`grant set on parameter session_replication_role to ${OWNER}`)
}

type Template = {
  readonly admin: Sql
  readonly chainIds: readonly number[]
  readonly arrange: (sql: Sql) => Promise<void>
}

async function prepareTemplate(
  { port }: RunningPostgres,
  { admin, chainIds, arrange }: Template,
): Promise<void> {
  await admin.unsafe(`create database ${TEMPLATE} owner ${OWNER}`)
  const owner = await open(buildUrl({ role: OWNER, port, name: TEMPLATE }))
  await owner.unsafe(OWNED_FUNCTIONS)
  await migrate(owner)
  await searchOursFirst(owner)
  for (const [role, login] of Object.entries(LOGINS))
    await admin.unsafe(`create role ${login} login in role svc_${role}`)
  await admin.unsafe(`grant ${LOGINS.ponder} to ${LOGINS.daemon}`)
  await letPonderCreateSchemas(admin, TEMPLATE)
  const ponder = await open(buildUrl({ role: LOGINS.ponder, port, name: TEMPLATE }))
  for (const chainId of chainIds) await createPonderTables(ponder, getPonderSchema(chainId))
  await ponder.end()
  const daemon = await open(buildUrl({ role: LOGINS.daemon, port, name: TEMPLATE }))
  for (const chainId of chainIds) await installTriggers(daemon, getPonderSchema(chainId))
  await daemon.end()
  await arrange(owner)
  await owner.end()
}

/** Allows Ponder to create a schema for each generation. A database does not inherit this privilege from a template. */
async function letPonderCreateSchemas(admin: Sql, database: string): Promise<void> {
  await admin.unsafe(`grant create on database ${database} to svc_ponder`)
}

/**
 * Makes functions with their own search path search `public` first. If a path omits the catalog, PostgreSQL searches
 * the catalog before the path.
 */
async function searchOursFirst(owner: Sql): Promise<void> {
  const functions = await owner<{ signature: string }[]>`
    select oid::regprocedure::text as signature from pg_proc
    where pronamespace = 'public'::regnamespace and exists (
      select from unnest(proconfig) setting where setting like 'search_path=%')`
  for (const { signature } of functions)
    await owner.unsafe(`alter function ${signature} set search_path = ${OURS_FIRST}`)
}

/** Returns the schema in which the simulated Ponder of a chain stores its rows. */
export function getPonderSchema(chainId: number): string {
  return `ponder_of_${chainId}`
}

/**
 * Creates the tables that Ponder 0.16 creates from indexer/ponder/ponder.schema.ts, and only two of Ponder's internal
 * tables. Returns `false` if the tables exist already.
 */
export async function createPonderTables(sql: Sql, schema: string): Promise<boolean> {
  if (await hasCheckpoint(sql, schema)) return false
  const place = `tx_hash text not null, log_index integer not null, block_number numeric(78, 0) not null,
    block_hash text not null, block_timestamp numeric(78, 0) not null`
  await sql.unsafe(`
    create schema ${schema};
    create table ${schema}.transfer (${place}, emitter text not null, sender text not null, recipient text not null,
      value numeric(78, 0) not null, primary key (tx_hash, log_index));
    create table ${schema}.split_event (${place}, split text not null, kind text not null, token text not null,
      account text not null, amount numeric(78, 0) not null, primary key (tx_hash, log_index));
    create table ${schema}._ponder_meta (key text primary key, value jsonb not null);
    create table ${schema}._ponder_checkpoint (chain_name text primary key, chain_id bigint not null,
      safe_checkpoint varchar(75) not null, latest_checkpoint varchar(75) not null,
      finalized_checkpoint varchar(75) not null);
    insert into ${schema}._ponder_meta values ('app', '{"is_ready": 0, "is_locked": 1}')`)
  return true
}

const MAX_WAITS = 10_000

type Place = { readonly server: RunningPostgres; readonly admin: Sql; readonly name: string }

async function openDatabase({ server, admin, name }: Place): Promise<SimulatedDatabase> {
  await admin.unsafe(`create database ${name} template ${TEMPLATE} strategy file_copy owner ${OWNER}`)
  await letPonderCreateSchemas(admin, name)
  const sql = await open(buildUrl({ role: OWNER, port: server.port, name }))
  const ponderSql = await open(buildUrl({ role: LOGINS.ponder, port: server.port, name }))
  return {
    name,
    sql,
    ponderSql,
    sessions: createSessionPool(join(server.dataDirectory, `.s.PGSQL.${server.port}`)),
    locks: {
      waiting: new Set(),
      lookAt: (pid) => lookAtBackend(admin, pid),
      cancel: async (pid) => {
        await admin`select pg_cancel_backend(${pid})`
      },
      stop: (pid) => signal(pid, 'SIGSTOP'),
      resume: (pid) => signal(pid, 'SIGCONT'),
      terminate: async (pid) => {
        // A stopped backend ends only after it continues.
        await admin`select pg_terminate_backend(${pid})`
        signal(pid, 'SIGCONT')
        // Checks every millisecond, because the server itself would check only every 100 ms.
        for (let waits = 0; isAlive(pid) && waits < MAX_WAITS; waits += 1) await pause(1)
      },
    },
    drop: async () => {
      await Promise.all([sql.end(), ponderSql.end()])
      await admin.unsafe(`drop database ${name} with (force)`)
    },
  }
}

function signal(pid: number, name: 'SIGSTOP' | 'SIGCONT'): void {
  if (isAlive(pid)) process.kill(pid, name)
}

/** A backend that is among its own direct or indirect blockers is part of a deadlock. */
async function lookAtBackend(admin: Sql, pid: number): Promise<'runs' | 'waits' | 'deadlock'> {
  const [row] = await admin<[{ waits: boolean; deadlock: boolean }]>`
    with recursive blockers (pid) as (
      select unnest(pg_blocking_pids(${pid}))
      union
      select next.pid from blockers, unnest(pg_blocking_pids(blockers.pid)) as next (pid))
    select count(*) > 0 as waits, coalesce(bool_or(pid = ${pid}), false) as deadlock from blockers`
  if (row.deadlock) return 'deadlock'
  return row.waits ? 'waits' : 'runs'
}

/** Opens one permanent connection that uses the replacement functions. */
async function open(url: string): Promise<Sql> {
  const sql = connect({ url, applicationName: 'simulator', maxConnections: 1, keepsSessions: true })
  await sql.unsafe(`set search_path = ${OURS_FIRST}`)
  return sql
}

export function buildUrl(place: {
  readonly role: string
  readonly port: number
  readonly name: string
}): string {
  return `postgres://${place.role}@127.0.0.1:${place.port}/${place.name}`
}
