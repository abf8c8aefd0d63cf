import { listPendingMigrations, MigrationError, migrate } from '../../shared/db/migrate.ts'
import { findSessionProblems } from '../../shared/db/session-check.ts'
import { readMigrationConfig } from '../../shared/runtime/command-config.ts'
import { CommandError, parseOptions } from '../../shared/runtime/command-line.ts'
import { requireSessions } from '../../shared/runtime/database-check.ts'
import { runCommand, withConnection } from './command.ts'

const USAGE = `Updates the schema to this build. If the schema is current, the command has no effect.

  npm run migrate                applies the pending migrations, each in its own transaction unless its file is
                                 marked -- no-transaction
  npm run migrate -- --pending   only lists the pending migrations

OWNER_DATABASE_URL names the database and the role that owns the schema; this role must be able to create roles.
`

await runCommand({ usage: USAGE, run })

async function run(args: string[]): Promise<readonly string[]> {
  const { values } = parseOptions(args, { flags: ['pending'] })
  const { databaseUrl } = readMigrationConfig()
  // The lock against concurrent migrations belongs to a session, so a pooler must not share sessions.
  await requireSessions(() => findSessionProblems({ url: databaseUrl }))
  try {
    return await withConnection(databaseUrl, async (sql) =>
      values.pending
        ? report('Pending', await listPendingMigrations(sql))
        : report('Applied', await migrate(sql)),
    )
  } catch (error) {
    // The files contradict the applied migrations, so a retry would fail too.
    throw error instanceof MigrationError ? new CommandError(error.message, { cause: error }) : error
  }
}

function report(verb: string, ids: readonly string[]): readonly string[] {
  return ids.length === 0 ? ['The schema is up to date.'] : ids.map((id) => `${verb} ${id}`)
}
