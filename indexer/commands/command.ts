import { readCommitSetting } from '../../shared/db/commit-setting.ts'
import { connect, isRetryable, type Sql } from '../../shared/db/connect.ts'
import { readChecksCommits, readOperatorConfig } from '../../shared/runtime/command-config.ts'
import { CommandError, runCommandLine } from '../../shared/runtime/command-line.ts'
import { createCommitCheck } from '../../shared/runtime/commit-check.ts'

/** A command. Returns the lines to print. */
export type RunCommand = (args: string[]) => Promise<readonly string[]>

/** Runs an operator's command line. If the database is unavailable, the exit code is 75, so that the caller retries. */
export async function runCommand(command: {
  readonly usage: string
  readonly run: RunCommand
}): Promise<void> {
  await runCommandLine({ ...command, isTransient: isRetryable })
}

/**
 * Creates a command that runs the subcommand named by the first argument.
 *
 * @param prefix - the words before the subcommand's name, such as `brand `, for the error message
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

/** Runs `work` with a connection of the operators' role, as `withConnection` does. */
export function withOperator<Result>(work: (sql: Sql) => Promise<Result>): Promise<Result> {
  return withConnection(readOperatorConfig().databaseUrl, work)
}

/**
 * Runs `work` with a connection, and closes the connection afterwards.
 *
 * @throws {ConfigError} if the database can lose commits that it confirms to this session
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
