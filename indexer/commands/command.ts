import { readCommitSetting } from '../../shared/db/commit-setting.ts'
import { connect, isRetryable, type Sql } from '../../shared/db/connect.ts'
import { readChecksCommits } from '../../shared/runtime/command-config.ts'
import { runCommandLine } from '../../shared/runtime/command-line.ts'
import { createCommitCheck } from '../../shared/runtime/commit-check.ts'

/** Runs an operator's command line. If the database is unreachable, the exit code tells the caller to retry. */
export async function runCommand(command: {
  readonly usage: string
  readonly run: (args: string[]) => Promise<readonly string[]>
}): Promise<void> {
  await runCommandLine({ ...command, isTransient: isRetryable })
}

/**
 * Passes a connection to `work` and closes it afterwards.
 *
 * @throws {ConfigError} if the session can lose confirmed commits
 */
export async function withConnection<Result>(
  databaseUrl: string,
  work: (sql: Sql) => Promise<Result>,
): Promise<Result> {
  const sql = connect({ url: databaseUrl, applicationName: 'command', maxConnections: 1 })
  try {
    await createCommitCheck({ isOn: readChecksCommits(), read: () => readCommitSetting(sql) })()
    return await work(sql)
  } finally {
    await sql.end({ timeout: 5 })
  }
}
