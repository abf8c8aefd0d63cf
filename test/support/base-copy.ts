import { execFileSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from '../../shared/db/connect.ts'
import type { RunningPostgres } from '../devnet/embedded-postgres.ts'

/**
 * Takes a base copy of a running server into a directory that does not exist, from which another can be started: what
 * `pg_basebackup` does, which the server that npm brings is without.
 *
 * The log is copied last, when it has all that the files need to be made whole.
 *
 * @see https://www.postgresql.org/docs/18/continuous-archiving.html#BACKUP-LOWLEVEL-BASE-BACKUP
 */
export async function createBaseCopy(server: RunningPostgres, directory: string): Promise<void> {
  // One connection: a backup ends with the session that began it.
  const sql = connect({
    url: server.url,
    applicationName: 'base copy',
    maxConnections: 1,
    keepsSessions: true,
  })
  try {
    await sql`select pg_backup_start('base copy', true)`
    // Owner and mode are PostgreSQL's own condition; a file that vanishes meanwhile is in the log.
    execFileSync('sh', [
      '-c',
      'cp -a "$0" "$1" 2>/dev/null || test -f "$1/PG_VERSION"',
      server.dataDirectory,
      directory,
    ])
    const [label] = await sql<[{ labelfile: string }]>`select labelfile from pg_backup_stop(false)`
    for (const file of ['postmaster.pid', 'postmaster.opts', 'pg_wal'])
      rmSync(join(directory, file), { recursive: true, force: true })
    execFileSync('cp', ['-a', join(server.dataDirectory, 'pg_wal'), join(directory, 'pg_wal')])
    // As a copy of another of its files it is of PostgreSQL's user, which we need not be.
    execFileSync('cp', ['-a', join(directory, 'PG_VERSION'), join(directory, 'backup_label')])
    writeFileSync(join(directory, 'backup_label'), label.labelfile)
  } finally {
    await sql.end()
  }
}
