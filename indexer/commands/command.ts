import { connect, errorCode, isRetryable, type Sql } from '../../shared/db/connect.ts'
import { exitCodeOf } from '../../shared/runtime/lifecycle.ts'

/** What an operator asked for cannot be done; the message says what to do instead. */
export class CommandError extends Error {}

type Command = {
  /** Shown for `--help` and after a wrong argument. */
  readonly usage: string
  /** Does what the arguments say, and answers the lines to print. */
  readonly run: (args: string[]) => Promise<readonly string[]>
}

/**
 * Runs a command line: its lines to standard output, or its error to standard error.
 *
 * The process's exit code becomes 0 when done, 1 when the operator must act, 75 when trying again may help.
 */
export async function runCommand({ usage, run }: Command): Promise<void> {
  const args = process.argv.slice(2)
  if (args.includes('--help')) {
    process.stdout.write(usage)
    return
  }
  try {
    const lines = await run(args)
    process.stdout.write(lines.map((line) => `${line}\n`).join(''))
  } catch (error) {
    process.stderr.write(describe(error, usage))
    process.exitCode = error instanceof CommandError || isWrongArgument(error) ? 1 : exitCode(error)
  }
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

/** Answers the value of an option that must be given. */
export function required(value: string | undefined, option: string): string {
  if (!value) throw new CommandError(`--${option} is missing; see --help`)
  return value
}

/** Lays rows out in columns, the first row being the headings. */
export function table(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

function exitCode(error: unknown): 1 | 75 {
  return isRetryable(error) ? 75 : exitCodeOf(error)
}

function describe(error: unknown, usage: string): string {
  const message = error instanceof Error ? error.message : String(error)
  return isWrongArgument(error) ? `${message}\n\n${usage}` : `${message}\n`
}

/** @see https://nodejs.org/docs/latest-v20.x/api/errors.html#err_parse_args_unknown_option */
function isWrongArgument(error: unknown): boolean {
  return errorCode(error)?.startsWith('ERR_PARSE_ARGS_') ?? false
}
