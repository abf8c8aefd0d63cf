import { connect } from '../../shared/db/connect.ts'
import { type Migration, migrate } from '../../shared/db/migrate.ts'
import { applyCatalogRights } from './apply-catalog-rights.ts'
import type { RunningPostgres } from './embedded-postgres.ts'

/** URL of the devnet's database for each role. The owner owns the schema and is not a superuser. */
export type DatabaseUrls = Readonly<Record<'owner' | 'api' | 'daemon' | 'ponder' | 'operator', string>>

/** A server's port on loopback, and the URL of its superuser. */
export type ServerAddress = Pick<RunningPostgres, 'url' | 'port'>

const NAME = 'payments'

/**
 * Creates a migrated database on an empty server, with a login user for each role.
 *
 * @param migrations - default: the current migrations
 */
export async function createDatabase(
  server: ServerAddress,
  migrations?: readonly Migration[],
): Promise<DatabaseUrls> {
  const urls: DatabaseUrls = {
    owner: urlOf(server, 'owner'),
    api: urlOf(server, 'api'),
    daemon: urlOf(server, 'daemon'),
    ponder: urlOf(server, 'ponder'),
    operator: urlOf(server, 'operator'),
  }
  const admin = connect({ url: server.url, applicationName: 'devnet', maxConnections: 1 })
  await admin.unsafe('create role payments_owner login createrole')
  await admin.unsafe(`create database ${NAME} owner payments_owner`)
  const owner = connect({ url: urls.owner, applicationName: 'devnet', maxConnections: 2 })
  await migrate(owner, migrations)
  for (const role of ['api', 'daemon', 'operator']) {
    await admin.unsafe(`create role payments_${role} login in role svc_${role}`)
  }
  await admin.unsafe('create role payments_ponder login in role svc_ponder role payments_daemon')
  await owner.end()
  await admin.end()
  await applyCatalogRights(server.url.replace(/[^/]*$/, NAME))
  return urls
}

function urlOf({ port }: ServerAddress, role: keyof DatabaseUrls): string {
  return `postgres://payments_${role}@127.0.0.1:${port}/${NAME}`
}
