import { connect, isRetryable, type Sql } from '../../shared/db/connect.ts'
import { runCommandLine } from '../../shared/runtime/command-line.ts'

/** Runs an operator's command line; a database that cannot be reached now is worth another try. */
export async function runCommand(command: {
  readonly usage: string
  readonly run: (args: string[]) => Promise<readonly string[]>
}): Promise<void> {
  await runCommandLine({ ...command, isTransient: isRetryable })
}

/** Gives `work` a connection, and closes it afterwards. */
export async function withConnection<Result>(
  databaseUrl: string,
  work: (sql: Sql) => Promise<Result>,
): Promise<Result> {
  const sql = connect({ url: databaseUrl, applicationName: 'command', maxConnections: 1 })
  try {
    return await work(sql)
  } finally {
    await sql.end({ timeout: 5 })
  }
}
