import { readCommitSetting } from '../../shared/db/commit-setting.ts'
import { connect, isRetryable, type Sql } from '../../shared/db/connect.ts'
import { readChecksCommits } from '../../shared/runtime/command-config.ts'
import { runCommandLine } from '../../shared/runtime/command-line.ts'
import { createCommitCheck } from '../../shared/runtime/commit-check.ts'

/** Runs an operator's command line; a database that cannot be reached now is worth another try. */
export async function runCommand(command: {
  readonly usage: string
  readonly run: (args: string[]) => Promise<readonly string[]>
}): Promise<void> {
  await runCommandLine({ ...command, isTransient: isRetryable })
}

/**
 * Gives `work` a connection, and closes it afterwards.
 *
 * @throws {ConfigError} if the session's confirmed commits can be lost
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
