import { execFileSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from '../../shared/db/connect.ts'
import type { RunningPostgres } from '../devnet/embedded-postgres.ts'

/**
 * Takes a base backup of a running server into a new directory, from which another server can be started. Replaces
 * `pg_basebackup`, which npm's PostgreSQL lacks.
 *
 * The WAL is copied last, because only then does it contain all records that make the copied files consistent.
 *
 * @see https://www.postgresql.org/docs/18/continuous-archiving.html#BACKUP-LOWLEVEL-BASE-BACKUP
 */
export async function createBaseCopy(server: RunningPostgres, directory: string): Promise<void> {
  // One connection, because a backup ends with the session that started it.
  const sql = connect({
    url: server.url,
    applicationName: 'base copy',
    maxConnections: 1,
    keepsSessions: true,
  })
  try {
    await sql`select pg_backup_start('base copy', true)`
    // `-a` keeps the owner and mode, which PostgreSQL requires. `cp` fails if a file disappears during the copy; the
    // WAL records its removal.
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
    // A copy has the owner that PostgreSQL requires. A new file would have this process's user as its owner.
    execFileSync('cp', ['-a', join(directory, 'PG_VERSION'), join(directory, 'backup_label')])
    writeFileSync(join(directory, 'backup_label'), label.labelfile)
  } finally {
    await sql.end()
  }
}
