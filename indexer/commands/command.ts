import { readCommitSetting } from '../../shared/db/commit-setting.ts'
import { connect, isRetryable, type Sql } from '../../shared/db/connect.ts'
import { readChecksCommits, readOperatorConfig } from '../../shared/runtime/command-config.ts'
import { CommandError, runCommandLine } from '../../shared/runtime/command-line.ts'
import { createCommitCheck } from '../../shared/runtime/commit-check.ts'

/** Executes a command with its arguments, and returns the lines to print. */
export type RunCommand = (args: string[]) => Promise<readonly string[]>

/** Runs an operator's command line. If the database is unavailable, the exit code tells the caller to retry. */
export async function runCommand(command: {
  readonly usage: string
  readonly run: RunCommand
}): Promise<void> {
  await runCommandLine({ ...command, isTransient: isRetryable })
}

/**
 * Creates a command that runs the subcommand named by the first argument.
 *
 * @param prefix - words before that argument, for the error message
 * @throws {CommandError} from the created command, if no subcommand has that name
 */
export function selectCommand(commands: Readonly<Record<string, RunCommand>>, prefix = ''): RunCommand {
  return async ([verb = '(none)', ...args]) => {
    const run = Object.hasOwn(commands, verb) ? commands[verb] : undefined
    if (run !== undefined) return run(args)
    const verbs = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(Object.keys(commands))
    throw new CommandError(`unknown command ${prefix}${verb}: must be ${verbs}; see --help`)
  }
}

/** Opens a connection with the operators' role and passes it to `work`; see `withConnection`. */
export function withOperator<Result>(work: (sql: Sql) => Promise<Result>): Promise<Result> {
  return withConnection(readOperatorConfig().databaseUrl, work)
}

/**
 * Opens a connection, passes it to `work`, and closes it afterwards.
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
