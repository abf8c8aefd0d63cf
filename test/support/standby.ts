import { execFileSync } from 'node:child_process'
import { appendFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from '../../shared/db/connect.ts'
import { type RunningPostgres, startPostgres } from '../devnet/embedded-postgres.ts'
import { waitFor } from '../devnet/wait-for.ts'
import { createBaseCopy } from './base-copy.ts'

/** A PostgreSQL server that replicates another server synchronously. */
export type Standby = {
  readonly server: RunningPostgres
  /** Promotes the standby to primary. Resolves when the server accepts writes, or after 60 s. */
  readonly promote: () => Promise<void>
  /** Stops the server and removes its data. */
  readonly stop: () => Promise<void>
}

const TIMEOUT_MS = 60_000

/**
 * Starts a standby on a base backup of a server, and makes the server's commits wait until the standby has
 * written them, like a managed PostgreSQL with a synchronous standby. The standby does not call fsync.
 *
 * @see https://www.postgresql.org/docs/18/warm-standby.html#SYNCHRONOUS-REPLICATION
 */
export async function startStandby(primary: RunningPostgres): Promise<Standby> {
  const dataDirectory = `${primary.dataDirectory}-standby`
  await createBaseCopy(primary, dataDirectory)
  // Copies another file and empties the copy, because PostgreSQL requires the owner that `cp -a` keeps. The tests might
  // run as another user.
  execFileSync('cp', ['-a', join(dataDirectory, 'PG_VERSION'), join(dataDirectory, 'standby.signal')])
  writeFileSync(join(dataDirectory, 'standby.signal'), '')
  const source = `host=127.0.0.1 port=${primary.port} user=postgres application_name=standby`
  appendFileSync(join(dataDirectory, 'postgresql.auto.conf'), `primary_conninfo = '${source}'\n`)
  const server = await startPostgres({ dataDirectory, port: 0, fsync: false })
  await ask(primary.url, [
    "alter system set synchronous_standby_names = 'standby'",
    'select pg_reload_conf()',
  ])
  await waitFor(async () => (await stateOf(primary.url)) === 'sync', {
    what: 'the standby to be synchronous',
    timeoutMs: TIMEOUT_MS,
  })
  return {
    server,
    promote: () => ask(server.url, ['select pg_promote(true, 60)']),
    stop: async () => {
      await server.stop()
      rmSync(dataDirectory, { recursive: true, force: true })
    },
  }
}

async function stateOf(url: string): Promise<string | undefined> {
  const [row] = await read(url, 'select sync_state as state from pg_stat_replication')
  return row?.['state']
}

async function ask(url: string, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await read(url, statement)
}

async function read(url: string, statement: string): Promise<readonly Record<string, string>[]> {
  const sql = connect({ url, applicationName: 'standby', maxConnections: 1, acceptsStandby: true })
  try {
    return await sql.unsafe(statement)
  } finally {
    await sql.end()
  }
}
