import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { installTriggers } from '../../../shared/db/chain-facts/daemon/ponder-tables.ts'
import { connect, type Sql } from '../../../shared/db/connect.ts'
import { migrate } from '../../../shared/db/migrate.ts'
import { type RunningPostgres, startPostgres } from '../../devnet/embedded-postgres.ts'
import { isAlive } from '../../devnet/is-alive.ts'
import { getDataDirectory } from '../../support/data-place.ts'
import type { LockWatch } from './gated-socket.ts'
import { pause } from './owned-process.ts'
import { createSessionPool, type SessionPool } from './session-pool.ts'
import type { Statements } from './statements.ts'
import { warmUp } from './warm-up.ts'

/** The PostgreSQL of a run of the simulator; a database for each seed. */
export type SimulatedServer = {
  readonly statements: Statements
  readonly openDatabase: () => Promise<SimulatedDatabase>
  readonly stop: () => Promise<void>
}

/** A database of one history. */
export type SimulatedDatabase = {
  readonly name: string
  /** The owner's connection, for arranging and for looking: on no simulated clock, and through no gate. */
  readonly sql: Sql
  /** Ponder's, likewise. */
  readonly ponderSql: Sql
  readonly sessions: SessionPool
  readonly locks: LockWatch
  readonly drop: () => Promise<void>
}

const TEMPLATE = 'simulation_template'

/** Who owns the schema; operators' commands log in as who may as much. */
export const OWNER = 'simulation_owner'

/** Who logs in as what. */
export const LOGINS = {
  api: 'simulation_api',
  daemon: 'simulation_daemon',
  ponder: 'simulation_ponder',
} as const

/**
 * What PostgreSQL itself would answer otherwise each time: the time, which is the simulation's from the session's last
 * word on, and chance. In `public`, which every session of ours searches before `pg_catalog`.
 */
const OWNED_FUNCTIONS = `
  create function public.now() returns timestamptz language sql stable as $$
    select coalesce(nullif(pg_catalog.current_setting('simulation.now', true), '')::timestamptz, pg_catalog.now()) $$;
  create function public.clock_timestamp() returns timestamptz language sql stable as $$ select public.now() $$;
  create sequence public.simulated_chance;
  create function public.gen_random_uuid() returns uuid language sql volatile security definer as $$
    select pg_catalog.md5(pg_catalog.nextval('public.simulated_chance')::text)::uuid $$;`

/**
 * Starts the server and makes the template that every history begins with.
 *
 * @param arrange - inserts what every history begins with, as the owner
 * @param chainIds - whose Ponder has its tables
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
  const admin = open(server.url)
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

/** What costs time and is looked at by nobody, and plans that are made anew each time, are left out. */
const SETTINGS = [
  ...["deadlock_timeout = '10ms'", 'autovacuum = off', 'synchronous_commit = off', 'jit = off'],
  ...["plan_cache_mode = 'force_generic_plan'", 'update_process_title = off', 'track_counts = off'],
  ...["bgwriter_delay = '10s'", "wal_writer_delay = '10s'", "checkpoint_timeout = '1d'"],
  ...["log_min_messages = 'fatal'", "log_min_error_statement = 'panic'", 'log_checkpoints = off'],
]

/** Nothing happens in it by itself; a deadlock is found at once, by whoever has closed the circle. */
async function prepareCluster(admin: Sql): Promise<void> {
  for (const setting of SETTINGS) await admin.unsafe(`alter system set ${setting}`)
  await admin.unsafe('select pg_reload_conf()')
  await admin.unsafe(`create role ${OWNER} login createrole`)
  await admin.unsafe(`alter role ${OWNER} set search_path = public, pg_catalog`)
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
  const owner = open(buildUrl({ role: OWNER, port, name: TEMPLATE }))
  await owner.unsafe(OWNED_FUNCTIONS)
  await migrate(owner)
  await searchOursFirst(owner)
  for (const [role, login] of Object.entries(LOGINS)) {
    await admin.unsafe(`create role ${login} login in role svc_${role}`)
    await admin.unsafe(`alter role ${login} set search_path = public, pg_catalog`)
  }
  await admin.unsafe(`grant ${LOGINS.ponder} to ${LOGINS.daemon}`)
  await admin.unsafe(`grant create on database ${TEMPLATE} to svc_ponder`)
  const ponder = open(buildUrl({ role: LOGINS.ponder, port, name: TEMPLATE }))
  for (const chainId of chainIds) await createPonderTables(ponder, getPonderSchema(chainId))
  await ponder.end()
  const daemon = open(buildUrl({ role: LOGINS.daemon, port, name: TEMPLATE }))
  for (const chainId of chainIds) await installTriggers(daemon, getPonderSchema(chainId))
  await daemon.end()
  await arrange(owner)
  await owner.end()
}

/** A function that names its path searches the catalog before it, unless it names that too. */
async function searchOursFirst(owner: Sql): Promise<void> {
  const functions = await owner<{ signature: string }[]>`
    select oid::regprocedure::text as signature from pg_proc
    where pronamespace = 'public'::regnamespace and exists (
      select from unnest(proconfig) setting where setting like 'search_path=%')`
  for (const { signature } of functions)
    await owner.unsafe(`alter function ${signature} set search_path = public, pg_catalog, pg_temp`)
}

/** Where the simulated Ponder of a chain keeps its rows. */
export function getPonderSchema(chainId: number): string {
  return `ponder_of_${chainId}`
}

/** As Ponder 0.16 makes them of indexer/ponder/ponder.schema.ts, without what it keeps for itself. */
async function createPonderTables(sql: Sql, schema: string): Promise<void> {
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
}

const MAX_WAITS = 10_000

type Place = { readonly server: RunningPostgres; readonly admin: Sql; readonly name: string }

async function openDatabase({ server, admin, name }: Place): Promise<SimulatedDatabase> {
  await admin.unsafe(`create database ${name} template ${TEMPLATE} strategy file_copy owner ${OWNER}`)
  const sql = open(buildUrl({ role: OWNER, port: server.port, name }))
  const ponderSql = open(buildUrl({ role: LOGINS.ponder, port: server.port, name }))
  return {
    name,
    sql,
    ponderSql,
    sessions: createSessionPool(join(server.dataDirectory, `.s.PGSQL.${server.port}`)),
    locks: {
      waiting: new Set(),
      isBlocked: async (pid) => {
        const [row] = await admin<[{ blockers: number[] }]>`select pg_blocking_pids(${pid}) as blockers`
        return row.blockers.length > 0
      },
      terminate: async (pid) => {
        await admin`select pg_terminate_backend(${pid})`
        // The server itself would look only each tenth of a second.
        for (let waits = 0; isAlive(pid) && waits < MAX_WAITS; waits += 1) await pause(1)
      },
    },
    drop: async () => {
      await Promise.all([sql.end(), ponderSql.end()])
      await admin.unsafe(`drop database ${name} with (force)`)
    },
  }
}

/** One connection, kept for as long as it is needed. */
function open(url: string): Sql {
  return connect({ url, applicationName: 'simulator', maxConnections: 1, keepsSessions: true })
}

/** Where a role finds a database. */
export function buildUrl(place: {
  readonly role: string
  readonly port: number
  readonly name: string
}): string {
  return `postgres://${place.role}@127.0.0.1:${place.port}/${place.name}`
}
