import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { connect, type Sql } from '../../shared/db/connect.ts'
import { migrate } from '../../shared/db/migrate.ts'
import { applyCatalogRights } from '../devnet/apply-catalog-rights.ts'
import { type RunningPostgres, startPostgres } from '../devnet/embedded-postgres.ts'
import { getDataDirectory } from './data-place.ts'
import { sweepLeftovers } from './sweep-leftovers.ts'

/** A test's own database. */
export type TestDatabase = {
  /** Connection URL of each role. The owner created the schema and is not a superuser. */
  readonly url: Readonly<Record<TestRole, string>>
  /** Connections as the owner. */
  readonly sql: Sql
  readonly name: string
  /** Runs a statement as the server's superuser, in another database. */
  readonly administer: (statement: string) => Promise<unknown>
  /** Closes `sql`, ends all other sessions, and removes the database. */
  readonly drop: () => Promise<void>
}

const TEST_ROLES = ['owner', 'api', 'daemon', 'ponder', 'operator'] as const

type TestRole = (typeof TEST_ROLES)[number]

/**
 * Creates a migrated database as a clone of a template, which takes 30 ms. The first call also starts PostgreSQL, which
 * takes 1 s.
 *
 * @param options.isMigrated - false creates an empty database, for tests of the migrations themselves
 */
export async function createTestDatabase(options = { isMigrated: true }): Promise<TestDatabase> {
  const { admin, port } = await cluster()
  const name = `test_${randomBytes(6).toString('hex')}`
  const template = options.isMigrated ? TEMPLATE : 'template1'
  await admin.unsafe(`create database ${name} template ${template} strategy file_copy owner test_owner`)
  // A clone does not inherit the grants on its template.
  if (options.isMigrated) {
    await admin.unsafe(`grant create, temporary on database ${name} to svc_ponder`)
    await admin.unsafe(`revoke temporary on database ${name} from public`)
  }
  const url = Object.fromEntries(
    TEST_ROLES.map((role) => [role, urlOf({ role: `test_${role}`, port, name })]),
  )
  const sql = connectForTest(url['owner'] ?? '')
  return {
    url: url as TestDatabase['url'],
    sql,
    name,
    administer: async (statement) => admin.unsafe(statement),
    drop: async () => {
      await sql.end()
      await admin.unsafe(`drop database ${name} with (force)`)
    },
  }
}

/** Opens a small connection pool for a test. */
export function connectForTest(url: string): Sql {
  return connect({ url, applicationName: 'test', maxConnections: 4 })
}

/** Stops the server that the first `createTestDatabase` started, and removes its data. */
export async function stopTestPostgres(): Promise<void> {
  if (!started) return
  const { admin, server } = await started
  started = undefined
  await admin.end()
  await server.stop()
  rmSync(server.dataDirectory, { recursive: true, force: true })
}

/**
 * Stops the server that the tests of this process use, runs `meanwhile`, and starts the server again on the same data
 * and port. All sessions are lost.
 */
export async function restartTestPostgres(meanwhile: () => Promise<void>): Promise<void> {
  const { server, ...rest } = await cluster()
  await server.stop()
  await meanwhile()
  const { dataDirectory, port } = server
  started = Promise.resolve({ ...rest, server: await startPostgres({ dataDirectory, port, fsync: false }) })
}

type Cluster = { readonly server: RunningPostgres; readonly admin: Sql; readonly port: number }

const TEMPLATE = 'test_template'

/** Prefix of the data directory's name. Contains the user's id, so that other users' directories are not removed. */
const DIRECTORY_PREFIX = `stablecoin-test-postgres-${process.getuid?.() ?? 0}-`

/** The server of this process; undefined before the first `cluster()` and after `stopTestPostgres`. */
let started: Promise<Cluster> | undefined

function cluster(): Promise<Cluster> {
  started ??= startCluster()
  return started
}

async function startCluster(): Promise<Cluster> {
  await sweepLeftovers(DIRECTORY_PREFIX)
  const dataDirectory = join(
    getDataDirectory(),
    `${DIRECTORY_PREFIX}${process.pid}-${randomBytes(4).toString('hex')}`,
  )
  const server = await startPostgres({ dataDirectory, port: 0, fsync: false })
  const admin = connect({ url: server.url, applicationName: 'test-admin', maxConnections: 2 })
  await admin.unsafe(`create role test_owner login createrole`)
  await admin.unsafe(`create database ${TEMPLATE} owner test_owner`)
  const owner = connectForTest(urlOf({ role: 'test_owner', port: server.port, name: TEMPLATE }))
  await migrate(owner)
  await owner.end()
  await applyCatalogRights(server.url.replace(/[^/]*$/, TEMPLATE))
  for (const role of ['api', 'daemon', 'operator']) {
    await admin.unsafe(`create role test_${role} login in role svc_${role}`)
  }
  await admin.unsafe('create role test_ponder login in role svc_ponder role test_daemon')
  return { server, admin, port: server.port }
}

function urlOf(place: { role: string; port: number; name: string }): string {
  return `postgres://${place.role}@127.0.0.1:${place.port}/${place.name}`
}
